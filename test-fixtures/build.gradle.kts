plugins {
    id("java-conventions")
    `java-library`
}

description = "Fixtures for the tests of several modules, and the servers that they talk to"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.assertj.core)
    api(libs.awaitility)
    api(libs.embedded.postgres)
    api(libs.embedded.postgres.linux.amd64)
    api(libs.embedded.postgres.linux.arm64)
    api(libs.embedded.redis)
    api(libs.jspecify)
    api(libs.junit.jupiter.api)
    api(libs.logback)

    testImplementation(libs.junit.jupiter)
}
