plugins {
    id("java-conventions")
}

description = "JMH benchmarks"

dependencies {
    bom(enforcedPlatform(libs.boot.sample.bom))

    annotationProcessor(libs.jmh.generator)
    implementation(project(":idempotency-autoconfigure"))
    implementation(libs.boot.starter.data.redis)
    implementation(libs.boot.starter.jdbc)
    implementation(libs.boot.starter.webflux)
    implementation(libs.boot.starter.webmvc)
    implementation(libs.embedded.postgres)
    implementation(libs.embedded.postgres.linux.amd64)
    implementation(libs.embedded.postgres.linux.arm64)
    implementation(libs.embedded.redis)
    implementation(libs.h2)
    implementation(libs.jmh.core)
    implementation(libs.postgresql)

    testImplementation(libs.boot.starter.test)
}

tasks.compileJava {
    options.compilerArgs.add("-Xdoclint/package:-dev.idempotency.benchmarks.jmh_generated,-dev.idempotency.core.jmh_generated,-dev.idempotency.web.jmh_generated")
}

// gradlew :benchmarks:jmh --args="-f 1 -wi 1 -i 1 Claim"
tasks.register<JavaExec>("jmh") {
    group = "verification"
    description = "Runs the JMH benchmarks."
    classpath = sourceSets.main.get().runtimeClasspath
    mainClass = "org.openjdk.jmh.Main"
}

// gradlew :benchmarks:load --args="requests"
tasks.register<JavaExec>("load") {
    group = "verification"
    description = "Measures requests with and without the starter, and writes docs/benchmarks.md."
    classpath = sourceSets.main.get().runtimeClasspath
    mainClass = "dev.idempotency.benchmarks.load.LoadRun"
    workingDir = rootDir
}

// gradlew :benchmarks:sizing --args="redis 1000000 200"
tasks.register<JavaExec>("sizing") {
    group = "verification"
    description = "Measures how large stores become."
    classpath = sourceSets.main.get().runtimeClasspath
    mainClass = "dev.idempotency.benchmarks.sizing.SizingRun"
}
