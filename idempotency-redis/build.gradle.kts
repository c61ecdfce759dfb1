plugins {
    id("publish-conventions")
}

description = "Keeps what was answered in Redis"

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
    api(libs.spring.data.redis)
    implementation(libs.slf4j.api)

    optional(libs.lettuce.core)

    testImplementation(libs.assertj.core)
    testImplementation(libs.junit.jupiter)
}
