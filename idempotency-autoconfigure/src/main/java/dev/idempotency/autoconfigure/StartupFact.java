package dev.idempotency.autoconfigure;

/**
 * A fact for the report at startup.
 *
 * @param name the name of the fact
 */
record StartupFact(String name, String value) {
}
