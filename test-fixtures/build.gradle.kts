plugins {
    id("java-conventions")
    `java-library`
}

description = "Fixtures for the tests of several modules"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.jspecify)
    api(libs.junit.jupiter.api)
    api(libs.logback)
}
