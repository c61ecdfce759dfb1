/**
 * A ledger of everything that was done, to count the effects of requests.
 */
@NullMarked
package dev.idempotency.sample.ledger;

import org.jspecify.annotations.NullMarked;
