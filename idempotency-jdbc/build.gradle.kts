plugins {
    id("publish-conventions")
}

description = "Stores idempotency keys and results in a relational database"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.spring.jdbc)
    implementation(libs.slf4j.api)

    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.h2)
    testImplementation(libs.junit.jupiter)
}
