package dev.idempotency.store.memory;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.RecordState;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * What a search sees of a key in progress, or of a result.
 */
interface RememberedEntry {

	long created();

	RecordState state(long now);

	RecordSummary summarize(IdempotencyKey key, long now);

	@Nullable StoredResult result();

}
