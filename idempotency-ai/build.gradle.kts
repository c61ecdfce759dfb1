plugins {
    id("publish-conventions")
}

description = "Protects the tools of language models"

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
    api(project(":idempotency-spring"))
    api(libs.spring.ai.model)
    implementation(libs.caffeine)
    implementation(libs.jackson.databind)
    implementation(libs.slf4j.api)

    optional(libs.spring.ai.mcp)

    testImplementation(project(":idempotency-test"))
    testImplementation(libs.awaitility)
    testImplementation(libs.junit.jupiter)
}
