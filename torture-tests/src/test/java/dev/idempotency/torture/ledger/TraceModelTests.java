package dev.idempotency.torture.ledger;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.model.ProtocolModel;
import dev.idempotency.model.Script;
import dev.idempotency.torture.ledger.Journal.Entry;
import dev.idempotency.torture.ledger.Trace.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What processes did under torture is what the model allows, and it breaks none of the
 * model's promises. The journal is that of a run on Redis, cut down to a few keys; each
 * run of {@code TortureTests} does the same with its own.
 */
class TraceModelTests {

	private static final Path JOURNAL = Path.of("src/test/resources/dev/idempotency/torture/ledger/journal.txt");

	/**
	 * That of the run.
	 */
	private static final Duration LEASE = Duration.ofSeconds(2);

	static Stream<Trace> traces() {
		return Trace.of(Journal.read(JOURNAL)).stream();
	}

	@ParameterizedTest
	@MethodSource("traces")
	void isABehaviourOfTheModelThatBreaksNoPromise(Trace trace) {
		Script script = trace.script(LEASE);
		assertThat(ProtocolModel.load().follow(script, "always safe").found()).as(script.toString()).isTrue();
	}

	@Test
	void hasTakeoversAndRenewals() {
		assertThat(traces()).anyMatch(Trace::hasTakeover).hasSizeGreaterThan(3);
		assertThat(traces().flatMap((trace) -> trace.events().stream()).map(Event::entry)).contains(Entry.GRANTED,
				Entry.RENEWED, Entry.COMPLETED);
	}

	@Test
	void findsALateWriteThatWasAccepted() {
		Trace trace = takenOver();
		Event late = trace.events().get(0);
		Event last = trace.events().get(trace.events().size() - 1);
		Event written = new Event(Entry.COMPLETED, late.owner(), late.instance(), late.attempt(), 0, 0)
			.at(last.answered() + 1000);
		assertThat(allows(trace.with(written))).isFalse();
	}

	@Test
	void findsATakeoverWithinTheLease() {
		Trace trace = takenOver();
		List<Event> events = trace.events()
			.stream()
			.map((event) -> event.isTakeover() ? event.at(trace.events().get(0).answered() + 1000) : event)
			.limit(2)
			.toList();
		assertThat(allows(new Trace(trace.key(), trace.events().subList(0, 1)))).isTrue();
		assertThat(events.get(1).isTakeover()).isTrue();
		assertThat(allows(new Trace(trace.key(), events))).isFalse();
	}

	@Test
	void findsAnExecutionAfterTheCompletion() {
		Trace trace = takenOver();
		Event last = trace.events().get(trace.events().size() - 1);
		assertThat(last.entry()).isEqualTo(Entry.COMPLETED);
		Event again = new Event(Entry.GRANTED, "another", last.instance(), 1, 0, 0)
			.at(last.answered() + 5 * LEASE.toNanos());
		assertThat(allows(trace.with(again))).isFalse();
	}

	/**
	 * A claim, its takeover, and a completion at the end.
	 */
	private static Trace takenOver() {
		return traces().filter((trace) -> trace.events().size() > 2 && trace.events().get(1).isTakeover())
			.findFirst()
			.orElseThrow();
	}

	private static boolean allows(Trace trace) {
		return ProtocolModel.load().follow(trace.script(LEASE), "").found();
	}

}
