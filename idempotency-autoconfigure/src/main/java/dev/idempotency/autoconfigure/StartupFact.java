package dev.idempotency.autoconfigure;

/**
 * Something that people want to read at start-up.
 *
 * @param name what it is
 * @param value how it is set up
 */
record StartupFact(String name, String value) {
}
