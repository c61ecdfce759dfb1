plugins {
    id("publish-conventions")
}

description = "Test support for applications and authors of stores: contract, clock, faults"

// Optional: applications that test with Spring have it on the class path, and authors of stores do not need it.
val optional = configurations.create("optional") {
    isCanBeConsumed = false
    isCanBeResolved = false
}
configurations.compileOnly { extendsFrom(optional) }

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.assertj.core)
    api(libs.junit.jupiter.api)

    optional(libs.boot.starter.webmvc.test)

    testImplementation(project(":test-fixtures"))
    testImplementation(libs.awaitility)
    testImplementation(libs.junit.jupiter)
    testImplementation(libs.junit.testkit)
    testImplementation(libs.lincheck)
}
