plugins {
    id("java-conventions")
}

description = "Runs the library on the Spring Boot line under test"

// Runs the library, which is always compiled with the oldest line, on the line given by -Pboot=<version>.
val boot = providers.gradleProperty("boot").orElse(libs.versions.boot.test)

// spring-aop has the same types, with nullness annotations
configurations.testImplementation { exclude(group = "aopalliance", module = "aopalliance") }

// Older than that of Spring Boot, which the platform would enforce
val activemq = libs.versions.activemq.get()
configurations.configureEach {
    resolutionStrategy.eachDependency { if (requested.group == "org.apache.activemq") useVersion(activemq) }
}

dependencies {
    bom(enforcedPlatform("org.springframework.boot:spring-boot-dependencies:${boot.get()}"))

    implementation(project(":idempotency-autoconfigure"))
    implementation(project(":idempotency-core"))
    implementation(project(":idempotency-jdbc"))
    implementation(project(":idempotency-redis"))
    implementation(project(":idempotency-spring"))
    implementation(project(":idempotency-web"))
    implementation(project(":idempotency-ai"))

    testImplementation(project(":idempotency-spring-boot-starter"))
    testImplementation(project(":idempotency-test"))
    testImplementation(project(":test-fixtures"))
    testImplementation(libs.activemq.broker)
    testImplementation(libs.activemq.client)
    testImplementation(libs.activemq.openwire)
    testImplementation(libs.blockhound)
    testImplementation(libs.boot.jetty)
    testImplementation(libs.jetty.http2)
    testImplementation(libs.boot.jms)
    testImplementation(libs.boot.micrometer.tracing.opentelemetry)
    testImplementation(libs.boot.restclient)
    testImplementation(libs.boot.starter.actuator)
    testImplementation(libs.boot.starter.amqp)
    testImplementation(libs.boot.starter.data.jpa)
    testImplementation(libs.boot.starter.data.redis)
    testImplementation(libs.boot.starter.flyway)
    testImplementation(libs.boot.starter.jdbc)
    testImplementation(libs.boot.starter.kafka)
    testImplementation(libs.boot.starter.security)
    testImplementation(libs.boot.starter.test)
    testImplementation(libs.boot.starter.thymeleaf)
    testImplementation(libs.boot.starter.validation)
    testImplementation(libs.boot.starter.webflux)
    testImplementation(libs.boot.starter.webflux.test)
    testImplementation(libs.boot.starter.webmvc)
    testImplementation(libs.boot.starter.webmvc.test)
    testImplementation(libs.h2)
    testImplementation(libs.hsqldb)
    testImplementation(libs.jedis)
    testImplementation(libs.junit.testkit)
    testImplementation(libs.kotlin.compiler)
    testImplementation(libs.kotlin.reflect)
    testImplementation(libs.kotlinx.coroutines.reactor)
    testImplementation(libs.mariadb)
    testImplementation(libs.micrometer.registry.prometheus)
    testImplementation(libs.micrometer.tracing.bridge.otel)
    testImplementation(libs.postgresql)
    testImplementation(libs.qpid.broker.amqp)
    testImplementation(libs.qpid.broker.core)
    testImplementation(libs.qpid.broker.memory)
    testImplementation(libs.selenium.chrome.driver)
    testImplementation(libs.spring.ai.mcp)
    testImplementation(libs.spring.ai.mcp.server.webmvc)
    testImplementation(libs.spring.ai.model)
    testImplementation(libs.spring.kafka.test)
    testImplementation(libs.spring.security.oauth2.jose)
    testImplementation(libs.spring.security.oauth2.resource.server)
    testImplementation(libs.springdoc.webflux.api)
    testImplementation(libs.springdoc.webmvc.api)
    testImplementation(libs.sqlite)
    testImplementation(libs.stripe.java)
}

tasks.test {
    systemProperty("boot.test.version", boot.get())
    // BlockHound adds methods to classes of the JDK
    jvmArgs("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+AllowRedefinitionToAddDeleteMethods")
    dependsOn(":sample-app:bootJar")
    systemProperty("sample.jar", rootProject.file("sample-app/build/libs/sample-app-$version.jar"))
    // Some tests read both builds, the README, the guides and the code that they show
    inputs.files(listOf("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md").map { rootProject.file(it) })
    inputs.dir(rootProject.file("docs"))
    inputs.dir(rootProject.file("idempotency-test/src/test"))
    inputs.dir(rootProject.file("sample-app/src"))
    inputs.files(listOf("pom.xml", "settings.gradle.kts", "gradle.properties", "gradlew").map { rootProject.file(it) })
    inputs.files(rootProject.subprojects.flatMap { listOf(it.file("pom.xml"), it.file("build.gradle.kts")) })
    inputs.dir(rootProject.file("gradle"))
    inputs.dir(rootProject.file("buildSrc/src"))
}

// The classes under test are in other modules.
val library = rootProject.subprojects.filter { it.name.startsWith("idempotency-") }
tasks.jacocoTestReport {
    library.forEach {
        sourceDirectories.from(it.layout.projectDirectory.dir("src/main/java"))
        classDirectories.from(files(it.layout.buildDirectory.dir("classes/java/main")).builtBy("${it.path}:classes"))
    }
}
