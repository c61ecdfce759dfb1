plugins {
    id("publish-conventions")
}

description = "Auto-configuration for Spring Boot, with Actuator support"

// Optional: applications that use them have them on the class path, and others do not need them.
val optional = configurations.create("optional") {
    isCanBeConsumed = false
    isCanBeResolved = false
    // A dependency of Micrometer Tracing; spring-aop has the same types, with nullness annotations
    exclude(group = "aopalliance", module = "aopalliance")
}
configurations.compileOnly { extendsFrom(optional) }
configurations.testImplementation { extendsFrom(optional) }

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    annotationProcessor(libs.boot.configuration.processor)

    api(project(":idempotency-core"))
    api(project(":idempotency-spring"))
    // Without their dependencies: applications that use these modules have them, and others do not need them
    api(project(":idempotency-ai")) { isTransitive = false }
    api(project(":idempotency-jdbc")) { isTransitive = false }
    api(project(":idempotency-redis")) { isTransitive = false }
    api(project(":idempotency-web")) { isTransitive = false }
    api(libs.boot.autoconfigure)
    api(libs.jspecify)
    implementation(libs.caffeine)
    implementation(libs.jackson.databind)
    implementation(libs.slf4j.api)

    optional(libs.boot.actuator.autoconfigure)
    optional(libs.boot.data.redis)
    optional(libs.boot.health)
    optional(libs.boot.jdbc)
    optional(libs.boot.jetty)
    optional(libs.boot.restclient)
    optional(libs.boot.starter.webmvc)
    optional(libs.boot.webclient)
    optional(libs.boot.webflux)
    optional(libs.boot.webmvc.test)
    optional(libs.hikaricp)
    optional(libs.micrometer.core)
    optional(libs.micrometer.tracing)
    optional(libs.spring.ai.mcp)
    optional(libs.spring.ai.model)
    optional(libs.spring.tx)
    optional(libs.spring.webflux)
    optional(libs.springdoc.webmvc.api)

    testImplementation(project(":idempotency-test"))
    testImplementation(libs.archunit)
    testImplementation(libs.boot.starter.test)
}

tasks.compileJava {
    // The configuration processor reads the additional metadata
    inputs.files(tasks.processResources)
}

tasks.test {
    // PublicApiTests reads the sources of all published modules
    inputs.files(rootProject.subprojects.filter { it.name.startsWith("idempotency-") }.map { it.file("src/main/java") })
}
