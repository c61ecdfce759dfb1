plugins {
    id("publish-conventions")
}

description = "Stores idempotency keys and results in Redis"

// Optional: applications that use them have them on the class path, and others do not need them.
val optional = configurations.create("optional") {
    isCanBeConsumed = false
    isCanBeResolved = false
}
configurations.compileOnly { extendsFrom(optional) }
configurations.testImplementation { extendsFrom(optional) }

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(project(":idempotency-core"))
    api(libs.spring.data.redis)
    implementation(libs.slf4j.api)

    optional(libs.lettuce.core)

    testImplementation(project(":idempotency-test"))
    testImplementation(project(":test-fixtures"))
    testImplementation(libs.awaitility)
    testImplementation(libs.jedis)
    testImplementation(libs.junit.jupiter)
    testImplementation(libs.testcontainers.junit)
}
