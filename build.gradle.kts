// The build as a whole. Conventions of modules are in buildSrc, all else in the build file of each module.

plugins {
    base
}

tasks.wrapper {
    description = "Does nothing: gradlew is a script of our own, which needs no jar."
    enabled = false
}
