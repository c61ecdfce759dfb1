plugins {
    id("publish-conventions")
}

description = "Makes operations safe to retry: the API, the engine, the stores and their auto-configuration"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    annotationProcessor(libs.boot.configuration.processor)

    api(libs.boot.autoconfigure)
    api(libs.jspecify)
    implementation(libs.caffeine)
    implementation(libs.slf4j.api)

    testImplementation(libs.archunit)
    testImplementation(libs.boot.starter.test)
}

tasks.test {
    // PublicApiTests reads the sources of both modules
    inputs.dir("src/main/java")
    inputs.dir(rootProject.file("idempotency-test/src/main/java"))
}
