plugins {
    id("publish-conventions")
}

description = "What an author of a store, or an application, tests with: contract, clock, faults"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-autoconfigure"))
    api(libs.assertj.core)
    api(libs.junit.jupiter.api)
}
