import org.springframework.boot.gradle.plugin.SpringBootPlugin

plugins {
    id("java-conventions")
    alias(libs.plugins.spring.boot)
}

description = "A small payments service"

dependencies {
    implementation(platform(SpringBootPlugin.BOM_COORDINATES))
    implementation(project(":idempotency-spring-boot-starter"))
    implementation(libs.boot.starter.webmvc)
    implementation(libs.springdoc.webmvc.api)

    testImplementation(libs.boot.starter.test)
}
