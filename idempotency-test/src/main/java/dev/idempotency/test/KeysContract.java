package dev.idempotency.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.BRIEF;
import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.PAST_BRIEF;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.refused;
import static dev.idempotency.test.Scene.result;
import static dev.idempotency.test.Scene.terms;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract about which keys and which requests are the same: only equal ones. Where
 * two are taken for one, a caller gets the response of another.
 */
interface KeysContract extends StoreUnderTest {

	/**
	 * Texts that something takes for the same: a collation, a trim, a normal form, an
	 * encoding, a pattern, a number, a hash.
	 */
	List<String> ALIKE = List.of("ann", "Ann", "ANN", "ann ", " ann", "ann  ", "ann\t", "ann\n", "ann\r\n", "ann\u00a0",
			"ann\u3000", "ann\u200b", "\ufeffann", "\u202eann", "ann\u0000", "a\u0000nn", "ann\ufffd", "a\ufffdnn",
			"ann?", "a?nn", "\u00e4nn", "a\u0308nn", "\u0430nn", "\uff41nn", "ann\ud83d\udcb3", "ann\ud83d\udcb4",
			"stra\u00dfe", "strasse", "STRASSE", "\u0131nn", "inn", "Inn", "\u0130nn", "\ufb01n", "fin", "\u212a", "K",
			"k", "\u03c3", "\u03c2", "a b", "a  b", "a%20b", "a+b", "a%", "a_", "a*", "a'", "a''", "a\"", "a\\",
			"a\\\\", "a;--", "{a}", "[a]", "a:1", "a#", "a/", "/a", "a/../a", "null", "NULL", "anonymous", "0", "1",
			"01", "1.0", "1e0", "+1", "-1", "true", "TRUE", "AaAa", "BBBB", "AaBB", "plumless", "buckeroo",
			"costarring", "liquid");

	/**
	 * What may stand between the parts of a key where they are written as one text.
	 */
	List<String> SEPARATORS = List.of("", " ", ":", "::", "/", "|", ",", ", ", ";", ".", "-", "_", "#", "@", "&", "=",
			"~", "\u0000", "\n", "\t", "\u001f", "\\", "'", "\"");

	/**
	 * More than a bounded cache of a round number of entries.
	 */
	int MANY = 2100;

	@Test
	default void keepsValuesApartThatLookAlike() {
		String unique = newKey().value();
		areKeptApart(IdempotencyKey.MAX_LENGTH, (text) -> key(unique, "op", "ann", "x", text));
	}

	/**
	 * A record ends when it expires, and not when there are many others.
	 */
	@Test
	default void keepsThousandsOfRecords() {
		Queue<Integer> toStart = IntStream.range(0, MANY)
			.boxed()
			.collect(Collectors.toCollection(ConcurrentLinkedQueue::new));
		Queue<Claim> running = new ConcurrentLinkedQueue<>();
		Queue<Claim> done = new ConcurrentLinkedQueue<>();
		inParallel(toStart, (number) -> {
			Claim claim = granted(store(), newKey());
			if (number % 10 == 0) {
				assertThat(store().complete(claim, result(claim.key().value()), TTL)).isTrue();
				done.add(claim);
			}
			else {
				running.add(claim);
			}
		});
		assertThat(running.size() + done.size()).isEqualTo(MANY);
		inParallel(running, (claim) -> assertThat(otherInstance().release(claim)).as("is still held").isTrue());
		inParallel(done, (claim) -> {
			assertThat(completed(otherInstance(), claim.key()).result()).isEqualTo(result(claim.key().value()));
			if (store() instanceof InspectableStore inspectable) {
				// Later tests need not search among them
				inspectable.forget(claim.key());
			}
		});
	}

	private static <T> void inParallel(Queue<T> things, Consumer<T> action) {
		Race.run(4, () -> {
			for (T thing = things.poll(); thing != null; thing = things.poll()) {
				action.accept(thing);
			}
			return true;
		});
	}

	@Test
	default void keepsNamespacesApartThatLookAlike() {
		String unique = newKey().value();
		areKeptApart(IdempotencyScope.MAX_PART_LENGTH, (text) -> key(text, "op", "ann", "x", unique));
	}

	@Test
	default void keepsOperationsApartThatLookAlike() {
		String unique = newKey().value();
		areKeptApart(IdempotencyScope.MAX_PART_LENGTH, (text) -> key("a", text, "ann", "x", unique));
	}

	@Test
	default void keepsPrincipalsApartThatLookAlike() {
		String unique = newKey().value();
		areKeptApart(IdempotencyScope.MAX_PART_LENGTH, (text) -> key("a", "op", text, "x", unique));
	}

	@Test
	default void keepsTenantsApartThatLookAlike() {
		String unique = newKey().value();
		areKeptApart(IdempotencyScope.MAX_PART_LENGTH, (text) -> key("a", "op", "ann", text, unique));
	}

	private void areKeptApart(int longest, Function<String, IdempotencyKey> key) {
		List<String> texts = new ArrayList<>(ALIKE);
		for (String character : List.of("a", "\u00e4", "\ud83d\udcb3")) {
			// As long as can be, and different at the beginning, in the middle and at the
			// end: wherever a text is cut, something is missed
			String fill = character.repeat(longest / 2 / character.length());
			String rest = character.repeat((longest - 1 - fill.length()) / character.length());
			String end = "x".repeat(longest - 1 - fill.length() - rest.length());
			for (String different : List.of("1", "2")) {
				texts.add(different + fill + rest + end);
				texts.add(fill + different + rest + end);
				texts.add(end + fill + rest + different);
			}
		}
		areKeptApart(texts.stream().map(key).toList());
	}

	@Test
	default void keepsPartsApartWhateverStandsBetweenThem() {
		String unique = newKey().value();
		Set<IdempotencyKey> keys = new LinkedHashSet<>();
		for (String between : SEPARATORS) {
			String two = unique + between + "b";
			String three = "b" + between + "c";
			keys.add(key(two, "c", "d", "e", "f"));
			keys.add(key(unique, three, "d", "e", "f"));
			keys.add(key(unique, two, "c", "e", "f"));
			keys.add(key(unique, unique, three, "e", "f"));
			keys.add(key("a", unique, two, "c", "f"));
			keys.add(key("a", unique, unique, three, "f"));
			keys.add(key("a", "op", unique, two, "c"));
			keys.add(key("a", "op", unique, unique, three));
			keys.add(key("a", two, null, null, "c"));
			keys.add(key("a", unique, null, null, three));
		}
		areKeptApart(List.copyOf(keys));
	}

	@Test
	default void keepsApartWhatIsAbsentAndWhatIsEmptyOrElsewhere() {
		String unique = newKey().value();
		Set<IdempotencyKey> keys = new LinkedHashSet<>();
		for (String name : List.of("", "null", "anonymous", "-", "ann", unique)) {
			keys.add(key("a", "op", name, null, unique));
			keys.add(key("a", "op", null, name, unique));
			keys.add(key("a", "op", name, name, unique));
			keys.add(key("a", "op", name, "", unique));
			keys.add(key("a", "op", "", name, unique));
			keys.add(key(name, "op", null, null, unique));
			keys.add(key(name, "op", "a", null, unique));
			keys.add(key(name, "a", "op", null, unique));
		}
		keys.add(key("a", "op", null, null, unique));
		keys.add(key("op", "a", null, null, unique));
		keys.add(key("a", unique, null, null, "op"));
		keys.add(key(unique, "op", null, null, "a"));
		areKeptApart(List.copyOf(keys));
	}

	private static IdempotencyKey key(String namespace, String operation, @Nullable String principal,
			@Nullable String tenant, String value) {
		return new IdempotencyKey(new IdempotencyScope(namespace, operation, principal, tenant), value);
	}

	/**
	 * Each key gets a result of its own, and the other instance finds that one.
	 */
	private void areKeptApart(List<IdempotencyKey> keys) {
		List<StoredResult> results = new ArrayList<>();
		for (IdempotencyKey key : keys) {
			results.add(result("result " + results.size()));
			assertThat(store().claim(key, FINGERPRINT, terms(LONG))).as(() -> "the claim of " + inFull(key))
				.isInstanceOfSatisfying(ClaimResult.Granted.class,
						(granted) -> assertThat(store().complete(granted.claim(), results.get(results.size() - 1), TTL))
							.isTrue());
		}
		for (int i = 0; i < keys.size(); i++) {
			IdempotencyKey key = keys.get(i);
			assertThat(completed(otherInstance(), key).result()).as(() -> inFull(key)).isEqualTo(results.get(i));
			if (otherInstance() instanceof InspectableStore inspectable) {
				assertThat(inspectable.find(key).orElseThrow().result()).as(() -> inFull(key))
					.isEqualTo(results.get(i));
			}
		}
		if (store() instanceof InspectableStore inspectable) {
			for (IdempotencyKey key : keys) {
				assertThat(inspectable.forget(key)).as(() -> "forgetting %s, and no other one".formatted(inFull(key)))
					.isTrue();
			}
		}
	}

	private static String inFull(IdempotencyKey key) {
		IdempotencyScope scope = key.scope();
		return Stream.of(scope.namespace(), scope.operation(), scope.principal(), scope.tenant(), key.value())
			.map((part) -> (part != null && part.length() > 100) ? part.length() + " characters"
					: "'%s'".formatted(part))
			.collect(Collectors.joining(" | "));
	}

	/**
	 * The same key for another request is refused, also where the request was not
	 * recorded.
	 */
	@Test
	default void keepsRequestsApart() {
		List<Fingerprint> fingerprints = new ArrayList<>(List.of(Fingerprint.none()));
		for (int different : new int[] { 0, 1, 15, 16, 30, 31 }) {
			byte[] bytes = new byte[32];
			fingerprints.add(Fingerprint.ofBytes(bytes));
			bytes[different] = 1;
			fingerprints.add(Fingerprint.ofBytes(bytes));
			Arrays.fill(bytes, (byte) 0xff);
			fingerprints.add(Fingerprint.ofBytes(bytes));
			bytes[different] = (byte) 0xfe;
			fingerprints.add(Fingerprint.ofBytes(bytes));
		}
		List<Fingerprint> distinct = fingerprints.stream().distinct().toList();
		List<IdempotencyKey> keys = new ArrayList<>();
		for (Fingerprint fingerprint : distinct) {
			IdempotencyKey key = newKey();
			keys.add(key);
			granted(store().claim(key, fingerprint, terms(BRIEF)));
		}
		time().pass(PAST_BRIEF);
		for (int i = 0; i < keys.size(); i++) {
			Fingerprint own = distinct.get(i);
			for (Fingerprint other : distinct) {
				if (!other.equals(own)) {
					ClaimResult answer = otherInstance().claim(keys.get(i), other, terms(LONG));
					assertThat(answer).as("a claim for %s of a key for %s", other, own)
						.isInstanceOf(ClaimResult.Refused.class);
					assertThat(refused(answer).fingerprint()).isEqualTo(own);
				}
			}
			Claim successor = granted(otherInstance().claim(keys.get(i), own, terms(LONG)));
			assertThat(successor.attempt()).isEqualTo(2);
			assertThat(store().complete(successor, RESULT, TTL)).isTrue();
			assertThat(completed(store().claim(keys.get(i), distinct.get((i + 1) % keys.size()), terms(LONG)))
				.fingerprint()).isEqualTo(own);
		}
	}

}
