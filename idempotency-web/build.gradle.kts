plugins {
    id("publish-conventions")
}

description = "Protects incoming HTTP requests, and adds keys to outgoing ones"

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
    api(libs.spring.web)
    implementation(libs.caffeine)
    implementation(libs.jackson.databind)
    implementation(libs.slf4j.api)

    optional(libs.jakarta.servlet.api)
    optional(libs.spring.security.core)
    optional(libs.spring.webflux)
    optional(libs.spring.webmvc)

    testImplementation(libs.assertj.core)
    testImplementation(libs.jazzer.junit)
    testImplementation(libs.junit.jupiter)
}
