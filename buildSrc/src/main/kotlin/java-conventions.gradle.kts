import net.ltgt.gradle.errorprone.CheckSeverity
import net.ltgt.gradle.errorprone.errorprone

// Everything that every Java module has in common: compiler checks, format check, tests, coverage.

plugins {
    java
    jacoco
    id("net.ltgt.errorprone")
    id("io.spring.javaformat")
}

val libs = the<VersionCatalogsExtension>().named("libs")

fun version(alias: String) = libs.findVersion(alias).get().requiredVersion

// "bom" supplies the versions of one Spring Boot line to the classpaths of a module and is never published.
val bom = configurations.create("bom") {
    isCanBeConsumed = false
    isCanBeResolved = false
}
listOf("compileClasspath", "runtimeClasspath", "testCompileClasspath", "testRuntimeClasspath").forEach {
    configurations.named(it) { extendsFrom(bom) }
}

dependencies {
    errorprone(libs.findLibrary("errorprone-core").get())
    errorprone(libs.findLibrary("nullaway").get())
    testRuntimeOnly(libs.findLibrary("junit-launcher").get())
}

tasks.withType<JavaCompile>().configureEach {
    options.encoding = "UTF-8"
    options.release = version("java").toInt()
    options.compilerArgs.addAll(listOf("-parameters", "-Xlint:all,-processing", "-Werror"))
    options.errorprone {
        excludedPaths = ".*/build/generated/.*"
        check("NullAway", CheckSeverity.ERROR)
        option("NullAway:AnnotatedPackages", "dev.idempotency")
        option("NullAway:HandleTestAssertionLibraries", "true")
    }
}

tasks.compileJava {
    // Not "missing": it wants the parameters of a record described twice. PublicApiTests looks for what is missing
    options.compilerArgs.add("-Xdoclint:all/protected,-missing")
}

tasks.withType<Javadoc>().configureEach {
    (options as StandardJavadocDocletOptions).apply {
        encoding = "UTF-8"
        addBooleanOption("Xdoclint:all,-missing", true)
        addBooleanOption("Xwerror", true)
    }
}

tasks.withType<AbstractArchiveTask>().configureEach {
    isPreserveFileTimestamps = false
    isReproducibleFileOrder = true
}

jacoco {
    toolVersion = version("jacoco")
}

tasks.test {
    // gradlew build -Pslow runs what gradlew build leaves out, and nothing else
    val slow = providers.gradleProperty("slow").isPresent
    useJUnitPlatform { if (slow) includeTags("slow") else excludeTags("slow") }
    // On two cores too, since half of their time they wait for leases to end; the slow ones have processes of their own
    maxParallelForks = if (slow) 3 else 4
    // Nobody reads what is covered of Spring, and to count it takes a fifth of the tests' time
    extensions.configure<JacocoTaskExtension> { includes = listOf("dev.idempotency.*") }
    // gradlew build -PtestJvm= compiles as production does, which takes longer
    jvmArgs(providers.gradleProperty("testJvm").getOrElse("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC").split(" ").filter(String::isNotEmpty))
    // As Maven does: a class inside a test class runs only when that one says so
    exclude("**/*\$*")
    // gradlew build -Plong=true runs the long form of what has one
    systemProperty("long", providers.gradleProperty("long").getOrElse("false"))
    finalizedBy(tasks.jacocoTestReport)
}
