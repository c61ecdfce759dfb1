/**
 * Test support for applications and for authors of stores.
 */
@NullMarked
package dev.idempotency.test;

import org.jspecify.annotations.NullMarked;
