/**
 * The engine for those who must not block: what Reactor's edges share, and what
 * applications on Reactor see of an operation.
 */
@NullMarked
package dev.idempotency.reactive;

import org.jspecify.annotations.NullMarked;
