plugins {
    id("publish-conventions")
}

description = "Makes operations safe to retry: the API, the engine, the stores and their auto-configuration"

// On the class path of those who have them, never forced on those who have not.
val optional = configurations.create("optional") {
    isCanBeConsumed = false
    isCanBeResolved = false
    // Brought by Micrometer Tracing; spring-aop has the same types, and says which of their values may be null
    exclude(group = "aopalliance", module = "aopalliance")
}
configurations.compileOnly { extendsFrom(optional) }
configurations.testImplementation { extendsFrom(optional) }

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    annotationProcessor(libs.boot.configuration.processor)

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
    optional(libs.boot.webmvc.test)
    optional(libs.hikaricp)
    optional(libs.micrometer.core)
    optional(libs.micrometer.tracing)
    optional(libs.spring.ai.mcp)
    optional(libs.spring.ai.model)
    optional(libs.spring.tx)
    optional(libs.spring.webflux)
    optional(libs.springdoc.webmvc.api)

    testImplementation(libs.archunit)
    testImplementation(libs.boot.starter.test)
}

tasks.compileJava {
    // The processor of the settings reads what is said about them beside their code
    inputs.files(tasks.processResources)
}

tasks.test {
    // PublicApiTests reads the sources of both modules
    inputs.dir("src/main/java")
    inputs.dir(rootProject.file("idempotency-test/src/main/java"))
}
