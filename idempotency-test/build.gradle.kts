plugins {
    id("publish-conventions")
}

description = "What an author of a store, or an application, tests with: contract, clock, faults"

// On the class path of those who test with it, never forced on those who write a store.
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
}
