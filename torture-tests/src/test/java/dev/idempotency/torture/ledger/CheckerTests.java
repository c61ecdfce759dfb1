package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.idempotency.torture.ledger.ClientLog.Answer;
import dev.idempotency.torture.ledger.Disturbances.Disturbance;
import dev.idempotency.torture.ledger.Journal.Line;
import dev.idempotency.torture.ledger.Violation.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Histories in which something is wrong, and the same without it.
 */
class CheckerTests {

	private static final KeyOfCaller KEY = new KeyOfCaller("ann", "k1");

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private final Map<KeyOfCaller, Map<Answer, Integer>> answers = new HashMap<>();

	private final List<Line> journal = new ArrayList<>();

	private final List<Effect> rows = new ArrayList<>();

	private final Set<KeyOfCaller> settled = new HashSet<>();

	private final Map<KeyOfCaller, Integer> completed = new HashMap<>();

	private final List<Disturbance> disturbances = new ArrayList<>();

	private List<Kind> found(boolean transactional) {
		return Checker
			.check(new Facts(transactional, Duration.ofSeconds(2), this.answers, this.settled, this.journal, this.rows,
					this.completed, this.disturbances))
			.stream()
			.map(Violation::kind)
			.toList();
	}

	private void told(int status, boolean changed, String body) {
		this.answers.computeIfAbsent(KEY, (key) -> new HashMap<>()).put(new Answer(status, changed, body), 1);
	}

	private void told(String caller, int attempt, String id) {
		told(200, false, "{\"caller\":\"%s\",\"key\":\"k1\",\"attempt\":%d,\"id\":\"%s\",\"instance\":\"0.1\"}"
			.formatted(caller, attempt, id));
	}

	private void ran(int attempt, String id, int amount) {
		write("BEGUN ann k1 %d %s 0.1 %d 0".formatted(attempt, id, amount));
		write("EFFECT ann k1 %d %s 0.1 %d 0".formatted(attempt, id, amount));
	}

	private void row(String id) {
		this.rows.add(new Effect(KEY, 1, id, 1));
	}

	private void granted(int attempt, String owner, long second) {
		write("GRANTED ann k1 %d %s 0.1 %d %d".formatted(attempt, owner, second * SECOND, second * SECOND + 1));
	}

	private void write(String line) {
		this.journal.add(Line.parse(line));
	}

	private void disturbed(String instance, long from, long to) {
		disturbed(instance, Disturbances.ANYWHERE, from, to);
	}

	private void disturbed(String instance, int place, long from, long to) {
		this.disturbances.add(new Disturbance(instance, place, from * SECOND, to * SECOND));
	}

	@Test
	void findsAnAnswerWithoutABody() {
		ran(1, "e1", 1);
		told(200, false, "");
		assertThat(found(true)).contains(Kind.UNEXPECTED_ANSWER);
	}

	@Test
	void findsNothingWhereNothingIsWrong() {
		this.settled.add(KEY);
		this.completed.put(KEY, 0);
		granted(1, "a", 0);
		ran(1, "x", 1);
		write("COMPLETED a 1 2");
		told("ann", 1, "x");
		told(409, false, "");
		told(503, false, "");
		told(422, true, "key-reused");
		assertThat(found(false)).isEmpty();
		row("x");
		assertThat(found(true)).isEmpty();
	}

	@Test
	void findsAnAnswerToSomeoneElse() {
		ran(1, "x", 1);
		told("bob", 1, "x");
		assertThat(found(false)).containsExactly(Kind.WRONG_CALLER);
	}

	@Test
	void findsTwoAnswers() {
		ran(1, "x", 1);
		ran(2, "y", 1);
		told("ann", 1, "x");
		told("ann", 2, "y");
		assertThat(found(false)).containsExactly(Kind.TWO_ANSWERS);
	}

	@Test
	void forgivesAnAnswerThatTheStoreFailedToKeepUnlessInATransaction() {
		ran(1, "x", 1);
		ran(2, "y", 1);
		told("ann", 1, "x");
		told("ann", 2, "y");
		write("UNSTORED ann k1 1");
		assertThat(found(false)).isEmpty();
		this.completed.put(KEY, 0);
		row("x");
		row("y");
		assertThat(found(true)).containsExactlyInAnyOrder(Kind.TWO_ANSWERS, Kind.TWO_EFFECTS);
	}

	@Test
	void findsAnotherRequestThatWasAnswered() {
		told(200, true, "anything");
		assertThat(found(false)).containsExactly(Kind.REUSE_ALLOWED);
	}

	@Test
	void findsAnotherRequestThatWasDone() {
		ran(1, "x", Checker.CHANGED_AMOUNT);
		assertThat(found(false)).containsExactly(Kind.REUSE_ALLOWED);
	}

	@Test
	void findsAnAnswerThatNobodyExpects() {
		told(422, false, "key-reused");
		assertThat(found(false)).containsExactly(Kind.UNEXPECTED_ANSWER);
	}

	@Test
	void findsAKeyThatIsNeverAnswered() {
		this.settled.add(KEY);
		told(409, false, "");
		assertThat(found(false)).containsExactly(Kind.NEVER_ANSWERED);
	}

	@Test
	void findsAnAnswerThatTheStoreDoesNotKnow() {
		this.settled.add(KEY);
		ran(1, "x", 1);
		told("ann", 1, "x");
		assertThat(found(false)).containsExactly(Kind.NEVER_ANSWERED);
	}

	@Test
	void findsALostEffect() {
		told("ann", 1, "x");
		assertThat(found(false)).containsExactly(Kind.LOST_EFFECT);
		this.completed.put(KEY, 0);
		row("y");
		assertThat(found(true)).containsExactly(Kind.LOST_EFFECT);
	}

	@Test
	void findsARowWithoutItsKeyAndAKeyWithoutItsRow() {
		row("x");
		assertThat(found(true)).containsExactly(Kind.EFFECT_WITHOUT_ANSWER);
		this.rows.clear();
		this.completed.put(KEY, 0);
		assertThat(found(true)).containsExactly(Kind.LOST_EFFECT);
	}

	@Test
	void findsAnAttemptThatRanTwice() {
		ran(1, "x", 1);
		ran(1, "y", 1);
		assertThat(found(false)).containsExactly(Kind.ATTEMPT_RAN_TWICE);
		assertThat(found(true)).as("rolled back, and given back").isEmpty();
	}

	@Test
	void findsAClaimThatWasGrantedWithinALease() {
		granted(1, "a", 0);
		granted(2, "b", 1);
		assertThat(found(false)).containsExactly(Kind.GRANTED_WITHIN_LEASE);
	}

	@Test
	void findsAClaimThatWasGrantedWithinARenewedLease() {
		disturbed(Disturbances.ALL, 0, 9);
		granted(1, "a", 0);
		granted(2, "b", 3);
		assertThat(found(false)).isEmpty();
		write("RENEWED a %d %d".formatted(2 * SECOND, 2 * SECOND + 1));
		assertThat(found(false)).containsExactly(Kind.GRANTED_WITHIN_LEASE);
	}

	@Test
	void findsAKeyThatWasGrantedTwiceAsTheFirstAttemptUnlessItWasGivenBack() {
		granted(1, "a", 0);
		granted(1, "b", 1);
		assertThat(found(false)).containsExactly(Kind.GRANTED_WITHIN_LEASE);
		write("RELEASING a " + SECOND / 2);
		assertThat(found(false)).isEmpty();
	}

	@Test
	void findsAClaimAfterACompletion() {
		granted(1, "a", 0);
		write("COMPLETED a 1 2");
		granted(2, "b", 5);
		assertThat(found(false)).containsExactly(Kind.GRANTED_AFTER_COMPLETION);
	}

	@Test
	void findsATakeoverOfSomeoneWhoIsWell() {
		granted(1, "a", 0);
		granted(2, "b", 5);
		disturbed("1.", 0, 5);
		disturbed("0.1", 6, 7);
		assertThat(found(false)).containsExactly(Kind.UNEXPLAINED_TAKEOVER);
		disturbed("0.", 3, 4);
		assertThat(found(false)).isEmpty();
	}

	@Test
	void findsATakeoverWhereOnlyAnotherPlaceWasIll() {
		this.completed.put(KEY, 1);
		granted(1, "a", 0);
		granted(2, "b", 5);
		disturbed(Disturbances.ALL, 0, 0, 5);
		disturbed("0.", 2, 0, 5);
		disturbed("1.", 1, 0, 5);
		assertThat(found(false)).containsExactly(Kind.UNEXPLAINED_TAKEOVER);
		disturbed("0.", 1, 3, 4);
		assertThat(found(false)).isEmpty();
	}

	@Test
	void takesAStallOfTheProcessForAReason() {
		granted(1, "a", 0);
		granted(2, "b", 5);
		write("STALLED 0.1 %d %d".formatted(SECOND, 4 * SECOND));
		assertThat(found(false)).isEmpty();
	}

}
