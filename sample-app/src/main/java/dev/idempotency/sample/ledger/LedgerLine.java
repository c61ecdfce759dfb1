package dev.idempotency.sample.ledger;

import java.math.BigDecimal;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Something that was done and that nobody can take back by pressing a button once more.
 *
 * @param id counts up
 * @param at when
 * @param account whose it is: a user, or the sender of a webhook
 * @param what for people
 * @param amount {@code null} if no money moved
 */
public record LedgerLine(long id, Instant at, String account, String what, @Nullable BigDecimal amount) {
}
