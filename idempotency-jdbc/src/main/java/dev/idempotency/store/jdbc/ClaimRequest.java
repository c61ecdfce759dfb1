package dev.idempotency.store.jdbc;

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
 * A request to claim a key: the key, its owner, and the place if there are several.
 */
final class ClaimRequest {

	private final IdempotencyKey key;

	private final Fingerprint fingerprint;

	private final ClaimTerms terms;

	private final @Nullable Object place;

	private @Nullable UUID owner;

	ClaimRequest(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms, @Nullable Object place) {
		this.key = key;
		this.fingerprint = fingerprint;
		this.terms = terms;
		this.place = place;
	}

	IdempotencyKey key() {
		return this.key;
	}

	Fingerprint fingerprint() {
		return this.fingerprint;
	}

	ClaimTerms terms() {
		return this.terms;
	}

	/**
	 * Creates the owner on first use. A claim that only reads needs none, and a random
	 * UUID is expensive.
	 */
	private UUID owner() {
		UUID known = this.owner;
		if (known == null) {
			known = UUID.randomUUID();
			this.owner = known;
		}
		return known;
	}

	/**
	 * Whether a claim with this owner was tried.
	 */
	boolean hasOwner() {
		return this.owner != null;
	}

	long ownerNumber() {
		return OwnedRecord.number(owner());
	}

	long lease() {
		return this.terms.lease().toMillis();
	}

	long ttl() {
		return this.terms.ttl().toMillis();
	}

	/**
	 * Sets the five readable parameters for operators, starting at the given index.
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
		return new ClaimResult.Granted(new Claim(this.key, owner(), attempt, this.place));
	}

}
