package dev.idempotency.store.memory;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.RecordState;
import dev.idempotency.store.InspectableStore.Inspection;
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

	Fingerprint fingerprint();

	@Nullable StoredResult result();

	default Inspection inspect(IdempotencyKey key, long now) {
		return new Inspection(summarize(key, now), fingerprint(), result());
	}

}
