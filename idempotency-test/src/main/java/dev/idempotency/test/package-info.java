/**
 * What an author of a store, or an application, tests with.
 */
@NullMarked
package dev.idempotency.test;

import org.jspecify.annotations.NullMarked;
