package dev.idempotency.test;

import java.time.Duration;
import java.time.Instant;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.ShutdownAwareStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore.InjectedError;
import dev.idempotency.test.FaultInjectingStore.InjectedFaultException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FaultInjectingStoreTests {

	private final InMemoryIdempotencyStore memory = MemoryStores.with(new MovableClock(Instant.EPOCH));

	@Test
	void canDoWhatTheStoreCanDoAndNothingElse() {
		assertThat(around(this.memory, StoreVerb.CLAIM, Fault.BEFORE)).isInstanceOf(SearchableStore.class)
			.isInstanceOf(NotifyingStore.class)
			.isNotInstanceOf(JoiningStore.class)
			.isNotInstanceOf(PurgeableStore.class);
		assertThat(new FaultInjectingStore(this.memory, (verb) -> Fault.NONE)).isNotInstanceOf(InspectableStore.class);
	}

	@Test
	void losesWhatTheStoreLoses() {
		assertThat(around(this.memory, StoreVerb.CLAIM, Fault.BEFORE)).isInstanceOfSatisfying(ShutdownAwareStore.class,
				(store) -> assertThat(store.lostAtShutdown()).isEqualTo(this.memory.lostAtShutdown())
					.isEqualTo(ShutdownAwareStore.Loss.RECORDS));
	}

	@Test
	void failsBeforeItsEffect() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.memory, key);
		assertThatExceptionOfType(InjectedFaultException.class)
			.isThrownBy(() -> around(this.memory, StoreVerb.COMPLETE, Fault.BEFORE).complete(claim, RESULT, TTL));
		inProgress(this.memory, key);
	}

	@Test
	void failsAfterItsEffect() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.memory, key);
		assertThatExceptionOfType(InjectedFaultException.class)
			.isThrownBy(() -> around(this.memory, StoreVerb.COMPLETE, Fault.AFTER).complete(claim, RESULT, TTL));
		assertThat(completed(this.memory, key).result()).isEqualTo(RESULT);
	}

	@ParameterizedTest
	@EnumSource(value = Fault.class, names = { "ERROR_BEFORE", "ERROR_AFTER" })
	void failsWithAnError(Fault fault) {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.memory, key);
		assertThatExceptionOfType(InjectedError.class)
			.isThrownBy(() -> around(this.memory, StoreVerb.COMPLETE, fault).complete(claim, RESULT, TTL));
		assertThat(this.memory.complete(claim, RESULT, TTL)).isEqualTo(fault == Fault.ERROR_BEFORE);
	}

	@ParameterizedTest
	@EnumSource(value = Fault.class, names = { "BEFORE", "AFTER" })
	void failsToJoin(Fault fault) {
		Recording joining = new Recording(this.memory);
		Claim claim = granted(this.memory, newKey());
		JoiningStore failing = (JoiningStore) around(joining, StoreVerb.COMPLETE, fault);
		assertThat(failing.isInTransaction()).isTrue();
		assertThatExceptionOfType(InjectedFaultException.class)
			.isThrownBy(() -> failing.completeInTransaction(claim, RESULT, TTL));
		assertThat(joining.joined).isEqualTo(fault == Fault.AFTER);
	}

	@Test
	void failsToBeLookedInto() {
		IdempotencyKey key = newKey();
		granted(this.memory, key);
		InspectableStore blind = (InspectableStore) around(this.memory, StoreVerb.FIND, Fault.BEFORE);
		assertThatExceptionOfType(InjectedFaultException.class).isThrownBy(() -> blind.find(key));
		assertThat(blind.forget(key)).isTrue();
	}

	private static IdempotencyStore around(IdempotencyStore store, StoreVerb failing, Fault fault) {
		return FaultInjectingStore.around(store, (verb) -> (verb == failing) ? fault : Fault.NONE);
	}

	/**
	 * Says that it joins.
	 */
	private static final class Recording extends ForwardingStore implements JoiningStore {

		private boolean joined;

		private Recording(IdempotencyStore store) {
			super(store);
		}

		@Override
		public boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast) {
			this.joined = true;
			return complete(claim, result, atLeast);
		}

		@Override
		public boolean isInTransaction() {
			return true;
		}

	}

}
