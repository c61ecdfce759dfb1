package dev.idempotency.store.jdbc;

import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.KeyDescription;
import org.jspecify.annotations.Nullable;

/**
 * What is claimed, by whom, and where, if that is a question.
 */
record Asked(IdempotencyKey key, UUID owner, Fingerprint fingerprint, ClaimTerms terms, @Nullable Place place) {

	static Asked now(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms, @Nullable Place place) {
		return new Asked(key, UUID.randomUUID(), fingerprint, terms, place);
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

	/**
	 * Sets the five parameters, from the given one on, that are for people to read.
	 * @return the next parameter
	 */
	int describe(PreparedStatement statement, int first) throws SQLException {
		KeyDescription description = KeyDescription.of(this.key);
		int next = first;
		statement.setString(next++, description.namespace());
		statement.setString(next++, description.operation());
		statement.setString(next++, description.principal());
		statement.setString(next++, description.tenant());
		statement.setString(next++, description.key());
		return next;
	}

	ClaimResult granted(int attempt) {
		return new ClaimResult.Granted(new Claim(this.key, this.owner, attempt, this.place));
	}

}
