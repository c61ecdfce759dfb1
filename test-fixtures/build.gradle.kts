plugins {
    id("java-conventions")
    `java-library`
}

description = "What tests of several modules have in common"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.jspecify)
    api(libs.junit.jupiter.api)
    api(libs.logback)
}
