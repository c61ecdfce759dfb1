plugins {
    id("publish-conventions")
}

description = "Protects methods of beans, and programmatic calls"

// Optional: applications that use them have them on the class path, and others do not need them.
val optional = configurations.create("optional") {
    isCanBeConsumed = false
    isCanBeResolved = false
}
configurations.compileOnly { extendsFrom(optional) }
configurations.testImplementation { extendsFrom(optional) }

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.spring.context)
    implementation(libs.jackson.databind)
    implementation(libs.slf4j.api)

    optional(libs.reactor.core)
    optional(libs.spring.tx)

    testImplementation(project(":idempotency-test"))
    testImplementation(project(":test-fixtures"))
    testImplementation(libs.jazzer.junit)
    testImplementation(libs.junit.jupiter)
}
