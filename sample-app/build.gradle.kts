import org.springframework.boot.gradle.plugin.SpringBootPlugin

plugins {
    id("java-conventions")
    alias(libs.plugins.spring.boot)
}

description = "A small payments service"

dependencies {
    implementation(platform(SpringBootPlugin.BOM_COORDINATES))
    implementation(project(":idempotency-spring-boot-starter"))
    implementation(libs.boot.starter.actuator)
    implementation(libs.boot.starter.data.redis)
    implementation(libs.boot.starter.jdbc)
    implementation(libs.boot.starter.security)
    implementation(libs.boot.starter.webmvc)
    implementation(libs.springdoc.webmvc.api)

    runtimeOnly(libs.h2)
    runtimeOnly(libs.postgresql)

    testImplementation(project(":idempotency-test"))
    testImplementation(libs.boot.starter.webmvc.test)
}
