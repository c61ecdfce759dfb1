package dev.idempotency.torture.ledger;

import java.lang.reflect.InvocationHandler;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;

/**
 * Mistakes that a store could make, put around one that does not. Each is made with the
 * keys that are named after it, and with no others.
 */
enum PlantedBug {

	/**
	 * Whoever completes is believed, also when the key has another owner by now.
	 */
	UNFENCED_COMPLETE {

		@Override
		IdempotencyStore in(IdempotencyStore store) {
			return around(store, "complete", (proxy, method, arguments) -> {
				Claim claim = (Claim) arguments[0];
				if (store.complete(claim, (StoredResult) arguments[1], (Duration) arguments[2])) {
					return true;
				}
				return overwrite((InspectableStore) store, claim, (StoredResult) arguments[1], (Duration) arguments[2]);
			});
		}

	},

	/**
	 * Looks first and writes then: whoever finds nothing takes the key, whatever has
	 * happened since.
	 */
	READ_THEN_WRITE_CLAIM {

		@Override
		IdempotencyStore in(IdempotencyStore store) {
			InspectableStore inspectable = (InspectableStore) store;
			return around(store, "claim", (proxy, method, arguments) -> {
				IdempotencyKey key = (IdempotencyKey) arguments[0];
				boolean free = inspectable.find(key).isEmpty();
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
				if (free) {
					inspectable.forget(key);
				}
				return store.claim(key, (Fingerprint) arguments[1], (ClaimTerms) arguments[2]);
			});
		}

	},

	/**
	 * Compares no fingerprints.
	 */
	IGNORED_FINGERPRINT {

		@Override
		IdempotencyStore in(IdempotencyStore store) {
			return around(store, "claim", (proxy, method, arguments) -> {
				Fingerprint asked = (Fingerprint) arguments[1];
				ClaimResult result = store.claim((IdempotencyKey) arguments[0], asked, (ClaimTerms) arguments[2]);
				return (result instanceof ClaimResult.Refused refused
						&& refused.record() instanceof IdempotencyRecord.Completed completed)
								? new ClaimResult.Refused(new IdempotencyRecord.Completed(asked, completed.attempt(),
										completed.result(), completed.replays()))
								: result;
			});
		}

	},

	/**
	 * Does not tell callers apart.
	 */
	FORGOTTEN_CALLER {

		@Override
		IdempotencyStore in(IdempotencyStore store) {
			return around(store, "claim", (proxy, method, arguments) -> store
				.claim(ofNobody((IdempotencyKey) arguments[0]), (Fingerprint) arguments[1], (ClaimTerms) arguments[2]));
		}

	},

	/**
	 * Gives a key away although its lease is running: a quarter of it is enough.
	 */
	HASTY_TAKEOVER {

		@Override
		IdempotencyStore in(IdempotencyStore store) {
			return around(store, "claim", (proxy, method, arguments) -> {
				ClaimTerms terms = (ClaimTerms) arguments[2];
				return store.claim((IdempotencyKey) arguments[0], (Fingerprint) arguments[1], new ClaimTerms(
						terms.lease().dividedBy(4), terms.ttl(), terms.onCrash(), terms.onReplay(), terms.trace()));
			});
		}

	},

	/**
	 * Forgets that the outcome of an attempt is unknown.
	 */
	RELEASED_REPORT {

		@Override
		IdempotencyStore in(IdempotencyStore store) {
			return around(store, "abandon", (proxy, method, arguments) -> store.release((Claim) arguments[0]));
		}

	},

	/**
	 * Renews one lease after the other, wherever they are: those of a place that is well
	 * wait for one that is not.
	 */
	ONE_QUEUE {

		@Override
		IdempotencyStore in(IdempotencyStore store) {
			IdempotencyStore inOnePlace = around(store, "renewalPlace", (proxy, method, arguments) -> label());
			return around(inOnePlace, "renewAll", (proxy, method, arguments) -> {
				Set<Object> lost = new HashSet<>();
				RuntimeException failure = null;
				for (Object claim : (List<?>) arguments[0]) {
					try {
						if (!store.renew((Claim) claim, (Duration) arguments[1])) {
							lost.add(claim);
						}
					}
					catch (RuntimeException ex) {
						failure = ex;
					}
				}
				if (failure != null) {
					throw failure;
				}
				return lost;
			});
		}

	};

	/**
	 * A store with this bug.
	 */
	abstract IdempotencyStore in(IdempotencyStore store);

	static PlantedBug named(String name) {
		return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
	}

	static boolean overwrite(InspectableStore store, Claim claim, StoredResult result, Duration atLeast) {
		Fingerprint fingerprint = store.find(claim.key())
			.map((found) -> found.fingerprint())
			.orElseGet(Fingerprint::none);
		store.forget(claim.key());
		ClaimTerms terms = new ClaimTerms(Duration.ofSeconds(1), Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ);
		return store.claim(claim.key(), fingerprint, terms) instanceof ClaimResult.Granted granted
				&& store.complete(granted.claim(), result, atLeast);
	}

	static IdempotencyKey ofNobody(IdempotencyKey key) {
		IdempotencyScope scope = key.scope();
		return new IdempotencyKey(new IdempotencyScope(scope.namespace(), scope.operation(), null, scope.tenant()),
				key.value());
	}

	/**
	 * A store with all bugs.
	 */
	static IdempotencyStore allIn(IdempotencyStore store) {
		IdempotencyStore infested = store;
		for (PlantedBug bug : values()) {
			infested = bug.in(infested);
		}
		return infested;
	}

	/**
	 * How keys begin with which the mistake is made.
	 */
	String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	IdempotencyStore around(IdempotencyStore store, String verb, InvocationHandler bug) {
		return WatchedStore.like(store,
				(proxy, method, arguments) -> (method.getName().equals(verb) && concerns(arguments[0]))
						? bug.invoke(proxy, method, arguments) : WatchedStore.call(store, method, arguments));
	}

	private boolean concerns(Object argument) {
		Object one = (argument instanceof List<?> claims) ? claims.get(0) : argument;
		IdempotencyKey key = (one instanceof Claim claim) ? claim.key() : (IdempotencyKey) one;
		return key.value().startsWith(label());
	}

}
