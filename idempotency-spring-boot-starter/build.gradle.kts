plugins {
    id("publish-conventions")
}

description = "Starter that makes operations safe to retry"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-autoconfigure"))
    api(libs.boot.starter)
}
