package dev.idempotency.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A store that renews many claims in one round trip. Other stores are asked for one claim
 * at a time.
 */
public interface BatchRenewingStore extends IdempotencyStore {

	/**
	 * Where a claim is renewed: a database, a node of a cluster. Claims of different
	 * places are renewed independently of each other, so that a place that does not
	 * respond delays only its own claims. Must not block. Its text is shown to operators.
	 * @return the place, or {@code null} if there is only one
	 */
	@Nullable Object renewalPlace(Claim claim);

	/**
	 * Starts the leases of claims again, as {@link #renew} does for each of them.
	 * @param claims claims of one place
	 * @param lease how long the leases are, from now on
	 * @return the claims that are lost; all others are renewed
	 */
	Set<Claim> renewAll(List<Claim> claims, Duration lease);

}
