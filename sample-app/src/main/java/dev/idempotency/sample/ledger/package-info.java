/**
 * Everything that was really done, so that anyone can count.
 */
@NullMarked
package dev.idempotency.sample.ledger;

import org.jspecify.annotations.NullMarked;
