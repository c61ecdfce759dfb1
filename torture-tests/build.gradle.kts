plugins {
    id("java-conventions")
}

description = "Kills, torture and the formal model: what runs once must do so whatever breaks"

// Runs the library, which is always compiled with the oldest line, on the line given by -Pboot=<version>.
val boot = providers.gradleProperty("boot").orElse(libs.versions.boot.test)

dependencies {
    bom(enforcedPlatform("org.springframework.boot:spring-boot-dependencies:${boot.get()}"))

    testImplementation(project(":idempotency-spring-boot-starter"))
    testImplementation(project(":idempotency-test"))
    testImplementation(project(":test-fixtures"))
    testImplementation(libs.alloy) { isTransitive = false }
    testImplementation(libs.boot.starter.data.redis)
    testImplementation(libs.boot.starter.jdbc)
    testImplementation(libs.boot.starter.test)
    testImplementation(libs.boot.starter.webflux)
    testImplementation(libs.boot.starter.webmvc)
    testImplementation(libs.h2)
    testImplementation(libs.postgresql)
}

// It contains SLF4J, Gson and Commons IO: the tests of the model load it in a class loader of its own
val alloy = configurations.testRuntimeClasspath.get().filter { it.name.startsWith("org.alloytools") }

tasks.compileTestJava { classpath = classpath - alloy + alloy }

tasks.test {
    classpath -= alloy
    // The configuration cache cannot store a lambda that refers to the script
    val jar = alloy
    jvmArgumentProviders.add(CommandLineArgumentProvider { listOf("-Dalloy.jar=${jar.singleFile}") })
    // Gradle offers each class to JUnit, and this one needs that library
    exclude("**/AlloySolver*")
    // The model and its guide
    inputs.dir(rootProject.file("docs"))
}
