plugins {
    id("publish-conventions")
}

description = "Makes operations safe to retry: the API, the engine, the interfaces of stores, and a store in memory"

dependencies {
    bom(enforcedPlatform(libs.boot.floor.bom))

    api(libs.jspecify)
    implementation(libs.slf4j.api)

    testImplementation(libs.assertj.core)
    testImplementation(libs.jazzer.junit)
    testImplementation(libs.junit.jupiter)
}
