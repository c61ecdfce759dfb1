// What belongs to the whole build. What modules have in common is in buildSrc, what is a module's own in its build file.

plugins {
    base
}

tasks.wrapper {
    description = "Does nothing: gradlew is a script of our own, which needs no jar."
    enabled = false
}
