/**
 * Spring Boot auto-configuration. Nothing depends on it.
 */
@NullMarked
package dev.idempotency.autoconfigure;

import org.jspecify.annotations.NullMarked;
