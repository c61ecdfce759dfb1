package dev.idempotency.core;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.RecordState;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.SearchableStore.Found;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an operator gets to see through the engine.
 */
class RecordsTests extends EngineFixture {

	private final AtomicInteger looks = new AtomicInteger();

	@BeforeEach
	void useAStoreThatLooksAtNothing() {
		SearchableStore hasty = (SearchableStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { SearchableStore.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("search")) {
						this.looks.incrementAndGet();
						return new Found(List.of(), false);
					}
					try {
						return method.invoke(this.memory, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
		this.engine = engine(hasty, EngineSettings.of("shop"));
	}

	private RecordFilter running() {
		return this.engine.records().all().withState(RecordState.IN_PROGRESS);
	}

	private Execution execute(String operation, String key) {
		return proceed(this.engine.begin(new Attempt(IdempotencyKey.of(operation, key), Fingerprint.none(), POLICY)));
	}

	@Test
	void findsWhatThisInstanceExecutesEvenIfTheStoreGivesUp() {
		execute("pay", "1");
		this.clock.advance(LEASE.dividedBy(10));
		execute("pay", "2");
		execute("refund", "3").complete(new byte[0]);
		Found found = this.engine.records().search(running(), 0, 10);
		assertThat(found.records()).extracting((record) -> record.key().key()).containsExactly("2", "1");
		assertThat(found.complete()).isFalse();
		assertThat(this.engine.records().search(running(), 0, 1).records()).hasSize(1);
		assertThat(this.engine.records().search(running().withOperation("refund"), 0, 10).records()).isEmpty();
		assertThat(this.engine.records().search(running(), 10, 10).records()).as("they are on the first page")
			.isEmpty();
		assertThat(this.engine.records().search(this.engine.records().all(), 0, 10).records()).isEmpty();
		assertThat(this.looks).hasValue(5);
	}

	@Test
	void readsAResultThatWasPacked() {
		this.engine = engine(this.memory, new EngineSettings("shop", EngineSettings.Mode.ENFORCE,
				EngineSettings.OnStoreFailure.REJECT, ResultPacking.none().withCompression(0)));
		execute("pay", "1").complete(bytes("paid ".repeat(100)));
		RecordSummary summary = this.engine.records().search(this.engine.records().all(), 0, 1).records().get(0);
		assertThat(summary.size()).isLessThan(100);
		Inspection details = this.engine.records().find(summary.id()).orElseThrow();
		assertThat(details.result()).isNotNull();
		assertThat(details.result().payload().remaining()).isEqualTo(500);
	}

	@Test
	void readsNoResultOfAKeyThatWasTooLongToBeKeptWhole() {
		this.engine = engine(this.memory, EngineSettings.of("shop"));
		execute("pay", "k".repeat(300)).complete(bytes("paid"));
		RecordSummary summary = this.engine.records().search(this.engine.records().all(), 0, 1).records().get(0);
		assertThat(this.engine.records().find(summary.id()).orElseThrow().result()).isNull();
		assertThat(this.engine.records().forget(summary.id())).isTrue();
	}

	@Test
	void tellsThatAKeyWasForgotten() {
		execute("pay", "1");
		RecordId id = RecordId.of(IdempotencyKey.of("pay", "1").within("shop"));
		assertThat(this.engine.records().forget(id)).isTrue();
		assertThat(this.events).contains(new IdempotencyEvent.Forgotten("pay", id));
		assertThat(this.engine.records().forget(id)).isFalse();
	}

	@Test
	void saysThatTheStoreFailed() {
		SearchableStore broken = (SearchableStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { SearchableStore.class }, (proxy, method, arguments) -> {
					throw new IllegalStateException("gone");
				});
		Records records = engine(broken, EngineSettings.of("shop")).records();
		assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(records::count)
			.withMessage("The idempotency store failed to count records");
	}

}
