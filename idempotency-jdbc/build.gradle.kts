plugins {
    id("publish-conventions")
}

description = "Stores idempotency keys and results in a relational database"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.spring.jdbc)
    implementation(libs.slf4j.api)

    testImplementation(project(":idempotency-test"))
    testImplementation(project(":test-fixtures"))
    testImplementation(libs.awaitility)
    testImplementation(libs.h2)
    testImplementation(libs.hikaricp)
    testImplementation(libs.hsqldb)
    testImplementation(libs.junit.jupiter)
    testImplementation(libs.mariadb)
    testImplementation(libs.mysql)
    testImplementation(libs.postgresql)
    // Routing data sources need it
    testImplementation(libs.spring.context)
    testImplementation(libs.sqlite)
    testImplementation(libs.testcontainers.junit)
    testImplementation(libs.testcontainers.mysql)
    testImplementation(libs.testcontainers.postgresql)
}
