package dev.idempotency.store.jdbc;

import java.nio.ByteBuffer;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;

/**
 * What is claimed, and by whom.
 */
record Asked(IdempotencyKey key, UUID owner, Fingerprint fingerprint, ClaimTerms terms) {

	static Asked now(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		return new Asked(key, UUID.randomUUID(), fingerprint, terms);
	}

	byte[] ownerBytes() {
		return bytes(this.owner);
	}

	static byte[] bytes(UUID owner) {
		return ByteBuffer.allocate(2 * Long.BYTES)
			.putLong(owner.getMostSignificantBits())
			.putLong(owner.getLeastSignificantBits())
			.array();
	}

	long lease() {
		return this.terms.lease().toMillis();
	}

	long ttl() {
		return this.terms.ttl().toMillis();
	}

	ClaimResult granted(int attempt) {
		return new ClaimResult.Granted(new Claim(this.key, this.owner, attempt));
	}

}
