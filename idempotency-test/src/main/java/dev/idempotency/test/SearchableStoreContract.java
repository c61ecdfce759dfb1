package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.SearchableStore.Count;
import dev.idempotency.store.SearchableStore.Found;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.PAST_SHORT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.countingReplays;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.subscribe;
import static dev.idempotency.test.Scene.terms;
import static dev.idempotency.test.Scene.traced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The contract of a store whose records can be counted and searched.
 */
public interface SearchableStoreContract extends InspectableStoreContract {

	/**
	 * Long enough that a later record is younger, for any clock.
	 */
	Duration A_MOMENT = Duration.ofMillis(5);

	private SearchableStore searchable() {
		return (SearchableStore) store();
	}

	/**
	 * The namespace of an application that no other test uses.
	 */
	private static String newNamespace() {
		return "search " + UUID.randomUUID();
	}

	private static IdempotencyKey key(String namespace, String operation, String value) {
		return new IdempotencyKey(new IdempotencyScope(namespace, operation, null, null), value);
	}

	private IdempotencyKey claimed(String namespace, String operation, String value) {
		IdempotencyKey key = key(namespace, operation, value);
		granted(store(), key);
		return key;
	}

	private List<RecordId> search(RecordFilter filter) {
		Found found = ((SearchableStore) otherInstance()).search(filter, 0, 100);
		assertThat(found.complete()).isTrue();
		return found.records().stream().map(RecordSummary::id).toList();
	}

	private static RecordId[] ids(IdempotencyKey... keys) {
		return List.of(keys).stream().map(RecordId::of).toArray(RecordId[]::new);
	}

	// Search

	@Test
	default void findsTheNewestFirstAndPageByPage() {
		String namespace = newNamespace();
		List<RecordId> ids = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			ids.add(RecordId.of(claimed(namespace, "pay", "key " + i)));
			time().pass(A_MOMENT);
		}
		Collections.reverse(ids);
		assertThat(search(RecordFilter.all(namespace))).isEqualTo(ids);
		assertThat(searchable().search(RecordFilter.all(namespace), 0, 2).records()).extracting(RecordSummary::id)
			.isEqualTo(ids.subList(0, 2));
		assertThat(searchable().search(RecordFilter.all(namespace), 2, 2).records()).extracting(RecordSummary::id)
			.isEqualTo(ids.subList(2, 4));
		assertThat(searchable().search(RecordFilter.all(namespace), 4, 2).records()).extracting(RecordSummary::id)
			.isEqualTo(ids.subList(4, 5));
		assertThat(searchable().search(RecordFilter.all(namespace), 5, 2).records()).isEmpty();
	}

	@Test
	default void findsEveryRecordOnOnePageWhereManyAreAsOld() {
		String namespace = newNamespace();
		for (int i = 0; i < 10; i++) {
			claimed(namespace, "pay", "key " + i);
		}
		List<RecordId> pages = new ArrayList<>();
		for (int offset = 0; offset < 10; offset += 3) {
			searchable().search(RecordFilter.all(namespace), offset, 3)
				.records()
				.forEach((record) -> pages.add(record.id()));
		}
		assertThat(pages).hasSize(10).doesNotHaveDuplicates();
	}

	/**
	 * Full pages, and those with one record more.
	 */
	@Test
	default void findsEachRecordOfLongPages() {
		String namespace = newNamespace();
		RecordFilter all = RecordFilter.all(namespace);
		Set<RecordId> ids = new HashSet<>();
		for (int number : new int[] { 100, 101, 150 }) {
			while (ids.size() < number) {
				ids.add(RecordId.of(claimed(namespace, "pay", "key " + ids.size())));
			}
			Set<RecordId> found = new HashSet<>(search(all));
			assertThat(found).hasSize(100);
			Found rest = searchable().search(all, 100, 100);
			assertThat(rest.complete()).isTrue();
			rest.records().forEach((record) -> assertThat(found.add(record.id())).isTrue());
			assertThat(found).isEqualTo(ids);
		}
	}

	@Test
	default void refusesToReachTooFar() {
		RecordFilter all = RecordFilter.all(newNamespace());
		assertThat(searchable().search(all, SearchableStore.MAX_REACH - 1, 1).records()).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> searchable().search(all, SearchableStore.MAX_REACH, 1));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> searchable().search(all, Integer.MAX_VALUE, Integer.MAX_VALUE));
		assertThatIllegalArgumentException().isThrownBy(() -> searchable().search(all, -1, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> searchable().search(all, 0, 0));
	}

	@Test
	default void findsAKeyWhateverItsOperationAndCaller() {
		String namespace = newNamespace();
		IdempotencyKey plain = claimed(namespace, "pay", "the key");
		IdempotencyKey other = claimed(namespace, "refund", "the key");
		IdempotencyKey owned = new IdempotencyKey(new IdempotencyScope(namespace, "pay", "ann", "acme"), "the key");
		granted(store(), owned);
		claimed(namespace, "pay", "another key");
		claimed(newNamespace(), "pay", "the key");
		RecordFilter filter = RecordFilter.all(namespace).withKey("the key");
		assertThat(search(filter)).containsExactlyInAnyOrder(ids(plain, other, owned));
		assertThat(search(filter.withOperation("pay"))).containsExactlyInAnyOrder(ids(plain, owned));
		assertThat(search(RecordFilter.all(namespace).withKey("no key"))).isEmpty();
	}

	@Test
	default void findsALongKeyByAllOfItAndByWhatIsKeptOfIt() {
		String namespace = newNamespace();
		String value = "k" + "\ud83d\udcb3".repeat(1000);
		IdempotencyKey key = claimed(namespace, "pay", value);
		claimed(namespace, "pay", "k" + "\ud83d\udcb3".repeat(100));
		assertThat(search(RecordFilter.all(namespace).withKey(value))).containsExactly(ids(key));
		assertThat(search(RecordFilter.all(namespace).withKey(KeyDescription.of(key).key()))).containsExactly(ids(key));
	}

	@Test
	default void takesWhatItLooksForLiterally() {
		String namespace = newNamespace();
		for (String text : List.of("key", "key*", "key%", "k_y", "k?y", "key'", "key\\", "[key]", "key\u0000", "Key")) {
			claimed(namespace, text, text);
		}
		for (String text : List.of("key", "key*", "key%", "k_y", "k?y", "key'", "key\\", "[key]", "key\u0000", "Key")) {
			assertThat(search(RecordFilter.all(namespace).withKey(text))).as(text)
				.containsExactly(ids(key(namespace, text, text)));
			assertThat(search(RecordFilter.all(namespace).withOperation(text))).as(text)
				.containsExactly(ids(key(namespace, text, text)));
		}
		for (String text : List.of("*", "%", "k%", "ke?", "' or '1' = '1", "")) {
			assertThat(search(RecordFilter.all(namespace).withOperation(text).withKey(text))).as(text).isEmpty();
			assertThat(search(RecordFilter.all(text))).as(text).doesNotContain(ids(key(namespace, "key", "key")));
		}
	}

	@Test
	default void findsARecordByTheStartOfItsId() {
		String namespace = newNamespace();
		List<RecordId> all = new ArrayList<>();
		String elsewhere = newNamespace();
		for (int i = 0; i < 20; i++) {
			all.add(RecordId.of(claimed(namespace, "pay", "key " + i)));
			claimed(elsewhere, "pay", "key " + i);
		}
		for (RecordId id : all) {
			for (int digits : new int[] { 1, 2, 5, 12, RecordId.LENGTH }) {
				String start = id.value().substring(0, digits);
				assertThat(search(RecordFilter.all(namespace).withIdPrefix(start))).as(start)
					.containsExactlyInAnyOrderElementsOf(
							all.stream().filter((other) -> other.value().startsWith(start)).toList());
			}
		}
		RecordFilter filter = RecordFilter.all(namespace).withKey("key 7");
		assertThat(search(filter.withIdPrefix(all.get(7).value()))).containsExactly(all.get(7));
		assertThat(search(filter.withIdPrefix(all.get(8).value()))).isEmpty();
	}

	@Test
	default void findsRecordsByTheirStateAndNoneThatIsOver() {
		String namespace = newNamespace();
		granted(store(), key(namespace, "pay", "over"), terms(SHORT, SHORT));
		store().complete(granted(store(), key(namespace, "pay", "done and over"), terms(SHORT, SHORT)), RESULT, SHORT);
		IdempotencyKey abandoned = key(namespace, "pay", "abandoned");
		granted(store(), abandoned, terms(SHORT));
		time().pass(PAST_SHORT);
		IdempotencyKey running = claimed(namespace, "refund", "running");
		IdempotencyKey done = key(namespace, "pay", "done");
		store().complete(granted(store(), done), RESULT, TTL);
		IdempotencyKey doneToo = key(namespace, "pay", "done too");
		store().complete(granted(store(), doneToo), RESULT, TTL);
		IdempotencyKey reported = key(namespace, "refund", "reported");
		store().abandon(granted(store(), reported));
		RecordFilter all = RecordFilter.all(namespace);
		assertThat(search(all)).containsExactlyInAnyOrder(ids(abandoned, running, done, doneToo, reported));
		assertThat(search(all.withState(RecordState.ABANDONED))).containsExactly(ids(abandoned));
		assertThat(search(all.withState(RecordState.REPORTED_UNKNOWN))).containsExactly(ids(reported));
		assertThat(search(all.withState(RecordState.IN_PROGRESS))).containsExactly(ids(running));
		assertThat(search(all.withState(RecordState.COMPLETED))).containsExactlyInAnyOrder(ids(done, doneToo));
		assertThat(searchable().find(RecordId.of(key(namespace, "pay", "over")))).isEmpty();
		assertThat(searchable().forget(RecordId.of(key(namespace, "pay", "done and over")))).isFalse();
		assertThat(((SearchableStore) otherInstance()).count(namespace)).satisfies((counts) -> {
			assertThat(counts.exact()).isTrue();
			assertThat(counts.counts()).containsExactlyInAnyOrder(new Count("pay", RecordState.COMPLETED, 2),
					new Count("pay", RecordState.ABANDONED, 1), new Count("refund", RecordState.IN_PROGRESS, 1),
					new Count("refund", RecordState.REPORTED_UNKNOWN, 1));
		});
	}

	@Test
	default void findsRecordsByTheirAge() {
		String namespace = newNamespace();
		IdempotencyKey old = claimed(namespace, "pay", "old");
		time().pass(PAST_SHORT);
		IdempotencyKey young = claimed(namespace, "pay", "young");
		RecordFilter all = RecordFilter.all(namespace);
		assertThat(search(all.withAge(SHORT, null))).contains(ids(old));
		assertThat(search(all.withAge(null, SHORT))).doesNotContain(ids(old));
		assertThat(search(all.withAge(Duration.ZERO, LONG))).containsExactly(ids(young, old));
		assertThat(search(all.withAge(LONG, null))).isEmpty();
		assertThat(search(all.withAge(null, Duration.ofSeconds(Long.MAX_VALUE)))).containsExactly(ids(young, old));
	}

	@Test
	default void tellsApplicationsApart() {
		String namespace = newNamespace();
		IdempotencyKey key = claimed(namespace, "pay", "key");
		IdempotencyKey other = claimed(namespace.toUpperCase(Locale.ROOT), "pay", "key");
		// What begins alike, or matches as a pattern
		claimed(namespace + "2", "pay", "key");
		claimed(namespace.replace('-', '_'), "pay", "key");
		assertThat(search(RecordFilter.all(namespace))).containsExactly(ids(key));
		assertThat(search(RecordFilter.all(namespace).withKey("key"))).containsExactly(ids(key));
		assertThat(search(RecordFilter.all(other.scope().namespace()))).containsExactly(ids(other));
		assertThat(search(RecordFilter.all(namespace.replace('-', '_')))).hasSize(1);
		for (String one : List.of(namespace, namespace.replace('-', '_'))) {
			assertThat(searchable().count(one).counts()).containsExactly(new Count("pay", RecordState.IN_PROGRESS, 1));
		}
		assertThat(search(RecordFilter.all(newNamespace()))).isEmpty();
		assertThat(searchable().count(newNamespace()).counts()).isEmpty();
	}

	@Test
	default void countsTheRecordsOfAnOperationWhoseNameIsLong() {
		String namespace = newNamespace();
		String operation = "o".repeat(300);
		claimed(namespace, operation, "key");
		assertThat(searchable().count(namespace).counts()).singleElement()
			.satisfies((count) -> assertThat(count.operation()).startsWith("ooo").hasSize(KeyDescription.MAX_LENGTH));
		assertThat(search(RecordFilter.all(namespace).withOperation(operation))).hasSize(1);
	}

	// Summaries

	@Test
	default void describesARecordInProgress() {
		String namespace = newNamespace();
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope(namespace, "POST /pay", "ann", "acme"), "key");
		granted(store(), key, traced(LONG, TTL, "0af7651916cd43dd8448eb211c80319c"));
		RecordSummary record = searchable().search(RecordFilter.all(namespace), 0, 1).records().get(0);
		assertThat(record.id()).isEqualTo(RecordId.of(key));
		assertThat(record.key()).isEqualTo(new KeyDescription(namespace, "POST /pay", "ann", "acme", "key"));
		assertThat(record.state()).isEqualTo(RecordState.IN_PROGRESS);
		assertThat(record.status().attempt()).isEqualTo(1);
		assertThat(record.leaseLeft()).isPositive().isLessThanOrEqualTo(LONG);
		assertThat(record.replays()).isZero();
		assertThat(record.size()).isZero();
		assertThat(record.trace()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
		isTheSameAs(searchable().find(key).orElseThrow(), record);
		assertThat(searchable().find(record.id())).hasValueSatisfying((found) -> assertThat(found.result()).isNull());
	}

	@Test
	default void describesACompletedRecord() {
		String namespace = newNamespace();
		IdempotencyKey key = key(namespace, "pay", "key");
		store().complete(granted(store(), key), RESULT, TTL);
		completed(store().claim(key, FINGERPRINT, countingReplays()));
		completed(store().claim(key, FINGERPRINT, countingReplays()));
		RecordSummary record = searchable().search(RecordFilter.all(namespace), 0, 1).records().get(0);
		assertThat(record.key()).isEqualTo(new KeyDescription(namespace, "pay", null, null, "key"));
		assertThat(record.state()).isEqualTo(RecordState.COMPLETED);
		assertThat(record.leaseLeft()).isZero();
		assertThat(record.replays()).isEqualTo(2);
		assertThat(record.size()).isEqualTo(RESULT.size());
		assertThat(record.trace()).isNull();
		isTheSameAs(searchable().find(key).orElseThrow(), record);
		assertThat(searchable().find(record.id())).contains(new Inspection(record, FINGERPRINT, RESULT));
	}

	private static void isTheSameAs(Inspection found, RecordSummary record) {
		assertThat(found.summary()).usingRecursiveComparison().ignoringFields("leaseLeft").isEqualTo(record);
	}

	@Test
	default void describesATakeoverAndChangesNothingByLooking() {
		String namespace = newNamespace();
		IdempotencyKey key = key(namespace, "pay", "key");
		granted(store(), key, traced(SHORT, TTL, "first"));
		time().pass(PAST_SHORT);
		Claim second = granted(store(), key, traced(Duration.ofMillis(1), TTL, "second"));
		time().pass(A_MOMENT);
		RecordSummary record = searchable().search(RecordFilter.all(namespace), 0, 1).records().get(0);
		assertThat(record.state()).isEqualTo(RecordState.ABANDONED);
		assertThat(record.leaseLeft()).isZero();
		assertThat(record.status().attempt()).isEqualTo(2);
		assertThat(record.trace()).isEqualTo("second");
		assertThat(searchable().find(record.id())).contains(new Inspection(record, FINGERPRINT, null));
		searchable().count(namespace);
		assertThat(searchable().search(RecordFilter.all(namespace), 0, 1).records()).containsExactly(record);
		assertThat(store().complete(second, RESULT, TTL)).isTrue();
	}

	// By id

	@Test
	default void findsAndForgetsNothingUnderAnIdThatIsNobodys() {
		RecordId id = RecordId.of(key(newNamespace(), "pay", "key"));
		assertThat(searchable().find(id)).isEmpty();
		assertThat(searchable().forget(id)).isFalse();
	}

	@Test
	default void forgetsAResultByItsId() {
		String namespace = newNamespace();
		IdempotencyKey key = key(namespace, "pay", "key");
		store().complete(granted(store(), key), RESULT, TTL);
		assertThat(searchable().forget(RecordId.of(key))).isTrue();
		assertThat(searchable().forget(RecordId.of(key))).isFalse();
		assertThat(search(RecordFilter.all(namespace))).isEmpty();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void forgettingByIdLosesTheClaimAndWakesUpWhoeverWaits() throws InterruptedException {
		String namespace = newNamespace();
		IdempotencyKey key = key(namespace, "pay", "key");
		Claim claim = granted(store(), key);
		CountDownLatch woken = new CountDownLatch(1);
		if (store() instanceof NotifyingStore) {
			subscribe(this, key, woken::countDown);
		}
		else {
			woken.countDown();
		}
		assertThat(searchable().forget(RecordId.of(key))).isTrue();
		assertThat(woken.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		assertThat(store().renew(claim, LONG)).isFalse();
		assertThat(store().complete(claim, RESULT, TTL)).isFalse();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

}
