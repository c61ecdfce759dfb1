package dev.idempotency.sample.ledger;

import java.math.BigDecimal;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Something that was done.
 *
 * @param id an ascending number
 * @param at when it was done
 * @param account a user, or the sender of a webhook
 * @param what a readable description
 * @param amount {@code null} if no money moved
 */
public record LedgerLine(long id, Instant at, String account, String what, @Nullable BigDecimal amount) {
}
