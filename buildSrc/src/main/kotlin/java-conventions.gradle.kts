import net.ltgt.gradle.errorprone.CheckSeverity
import net.ltgt.gradle.errorprone.errorprone

// Conventions of every Java module: compiler checks, format check, tests, coverage.

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
    // Not "missing", which requires the parameters of a record twice. PublicApiTests checks for missing comments
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
    // gradlew build -Pslow runs only the tests that gradlew build leaves out
    val slow = providers.gradleProperty("slow").isPresent
    useJUnitPlatform { if (slow) includeTags("slow") else excludeTags("slow") }
    systemProperty("test.excluded-groups", if (slow) "" else "slow")
    // Also on two cores, since tests wait for leases half of the time; slow tests start processes of their own
    maxParallelForks = if (slow) 3 else 4
    // The coverage of Spring is not needed, and counting it takes a fifth of the tests' time
    extensions.configure<JacocoTaskExtension> { includes = listOf("dev.idempotency.*") }
    // gradlew build -PtestJvm= uses the default options of the JVM, as in production, which takes longer
    jvmArgs(providers.gradleProperty("testJvm").getOrElse("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC").split(" ").filter(String::isNotEmpty))
    // As in Maven: a class inside a test class runs only through that class
    exclude("**/*\$*")
    // gradlew build -Plong=true runs the long form of tests that have one
    systemProperty("long", providers.gradleProperty("long").getOrElse("false"))
    finalizedBy(tasks.jacocoTestReport)
}
