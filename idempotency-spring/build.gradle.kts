plugins {
    id("publish-conventions")
}

description = "Protects methods of beans, and what is called by hand"

// On the class path of those who have them, never forced on those who have not.
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
