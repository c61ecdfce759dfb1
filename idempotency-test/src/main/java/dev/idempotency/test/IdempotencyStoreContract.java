package dev.idempotency.test;

import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.OTHER_FINGERPRINT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.refused;
import static dev.idempotency.test.Scene.result;
import static dev.idempotency.test.Scene.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of every store. Extend it in a test class, and implement the contract of
 * each further ability of the store; the base class detects a missing one.
 */
public abstract class IdempotencyStoreContract
		implements KeysContract, RacesContract, TimeContract, CrashesContract, ReplaysContract, TracesContract {

	private static final Map<Class<?>, Class<?>> CONTRACTS = Map.of(BatchRenewingStore.class,
			BatchRenewingStoreContract.class, InspectableStore.class, InspectableStoreContract.class,
			JoiningStore.class, JoiningStoreContract.class, NotifyingStore.class, NotifyingStoreContract.class,
			PurgeableStore.class, PurgeableStoreContract.class, SearchableStore.class, SearchableStoreContract.class);

	@Test
	void everyAbilityOfTheStoreIsUnderContract() {
		CONTRACTS.forEach((ability, contract) -> {
			if (ability.isInstance(store())) {
				assertThat(contract).as("the contract of %s", ability.getSimpleName()).isAssignableFrom(getClass());
			}
		});
	}

	// Claim

	@Test
	void grantsAFreshKeyAsTheFirstAttempt() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		assertThat(claim.key()).isEqualTo(key);
		assertThat(claim.attempt()).isEqualTo(1);
	}

	@Test
	void refusesAKeyInProgressAndSaysHowLong() {
		IdempotencyKey key = newKey();
		granted(store(), key);
		IdempotencyRecord.InProgress record = inProgress(otherInstance(), key);
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(record.attempt()).isEqualTo(1);
		assertThat(record.leaseLeft()).isBetween(LONG.minusMinutes(1), LONG);
		assertThat(record.isAbandoned()).isFalse();
	}

	@Test
	void refusesAKeyInProgressToAnotherFingerprintWithTheFirstOne() {
		IdempotencyKey key = newKey();
		granted(store(), key);
		IdempotencyRecord record = refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
	}

	@Test
	void refusesACompletedKeyWithItsResult() {
		IdempotencyKey key = newKey();
		assertThat(store().complete(granted(store(), key), RESULT, TTL)).isTrue();
		IdempotencyRecord.Completed record = completed(store(), key);
		assertThat(record.result()).isEqualTo(RESULT);
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(record.attempt()).isEqualTo(1);
	}

	@Test
	void refusesACompletedKeyToAnotherFingerprintWithTheFirstOne() {
		IdempotencyKey key = newKey();
		store().complete(granted(store(), key), RESULT, TTL);
		IdempotencyRecord record = refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
	}

	// Complete

	@Test
	void refusesEverythingAfterCompletion() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		store().complete(claim, RESULT, TTL);
		for (IdempotencyStore instance : List.of(store(), otherInstance())) {
			assertThat(instance.complete(claim, result("again"), TTL)).isFalse();
			assertThat(instance.renew(claim, LONG)).isFalse();
			assertThat(instance.release(claim)).isFalse();
			assertThat(completed(instance, key).result()).isEqualTo(RESULT);
		}
	}

	@Test
	void keepsATombstone() {
		assertThat(storedAndReadBack(StoredResult.tombstone()).isTombstone()).isTrue();
	}

	@Test
	void keepsAnEmptyResultApartFromATombstone() {
		StoredResult empty = storedAndReadBack(StoredResult.of(new byte[0]));
		assertThat(empty.isTombstone()).isFalse();
		assertThat(empty.payload().remaining()).isZero();
	}

	@Test
	void keepsEveryByte() {
		byte[] bytes = new byte[256];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) i;
		}
		assertThat(storedAndReadBack(StoredResult.of(bytes))).isEqualTo(StoredResult.of(bytes));
	}

	@Test
	void keepsEveryFrame() {
		for (int first : new int[] { 0, 1, 2, 3, 10, 32, 127, 128, 254, 255 }) {
			for (byte[] rest : List.of(new byte[1], new byte[] { -1 }, new byte[] { 0x7f, 0, 0, 0 },
					new byte[] { 1, 32 }, new byte[] { 4, 13, 10 }, new byte[] { 0, -61, 40, -16 })) {
				byte[] frame = new byte[1 + rest.length];
				frame[0] = (byte) first;
				System.arraycopy(rest, 0, frame, 1, rest.length);
				assertThat(storedAndReadBack(StoredResult.fromFrame(frame)).toFrame()).isEqualTo(frame);
			}
		}
	}

	@Test
	void leavesAResultOfANewerFormatAlone() {
		StoredResult newer = storedAndReadBack(StoredResult.fromFrame(new byte[] { (byte) 0xfe, 0x7f, 1, 2, 3 }));
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(newer::payload)
			.withMessageContaining("format 254");
	}

	/**
	 * Each size is more than some columns, values or messages can hold.
	 */
	@Test
	void keepsALargeResultOrTheClaim() {
		for (int size : new int[] { 4096, 65_535, 65_536, 1 << 20, 4 << 20, 17 << 20 }) {
			keepsAResultOrTheClaim(size);
		}
	}

	private void keepsAResultOrTheClaim(int size) {
		byte[] bytes = new byte[size];
		new Random(42).nextBytes(bytes);
		StoredResult result = StoredResult.of(bytes);
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		try {
			assertThat(store().complete(claim, result, TTL)).isTrue();
			assertThat(completed(otherInstance(), key).result().equals(result)).as("the result is the same").isTrue();
		}
		catch (ResultTooLargeException ex) {
			assertThat(inProgress(otherInstance(), key).isAbandoned()).isFalse();
			assertThat(otherInstance().renew(claim, LONG)).as("the claim is still held").isTrue();
			assertThat(store().complete(claim, StoredResult.tombstone(), TTL)).isTrue();
			assertThat(completed(otherInstance(), key).result().isTombstone()).isTrue();
		}
	}

	private StoredResult storedAndReadBack(StoredResult result) {
		IdempotencyKey key = newKey();
		assertThat(store().complete(granted(store(), key), result, TTL)).isTrue();
		return completed(otherInstance(), key).result();
	}

}
