plugins {
    id("publish-conventions")
}

description = "Protects HTTP requests, those that come and those that go"

// On the class path of those who have them, never forced on those who have not.
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
    api(libs.spring.web)
    implementation(libs.caffeine)
    implementation(libs.jackson.databind)
    implementation(libs.slf4j.api)

    optional(libs.jakarta.servlet.api)
    optional(libs.spring.webflux)
    optional(libs.spring.webmvc)

    testImplementation(libs.assertj.core)
    testImplementation(libs.jazzer.junit)
    testImplementation(libs.junit.jupiter)
}
