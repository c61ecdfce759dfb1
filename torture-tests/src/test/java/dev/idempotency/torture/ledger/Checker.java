package dev.idempotency.torture.ledger;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.torture.ledger.ClientLog.Answer;
import dev.idempotency.torture.ledger.Facts.Attempted;
import dev.idempotency.torture.ledger.Journal.Entry;
import dev.idempotency.torture.ledger.Journal.Line;
import dev.idempotency.torture.ledger.LedgerHandlers.Booked;
import dev.idempotency.torture.ledger.Violation.Kind;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks for promises that were not kept. What it holds the library to:
 * <ul>
 * <li>an answer is for who asked, and for what was asked;
 * <li>a key has one answer. Without a transaction, one whose result the store failed to
 * keep counts as if its process had crashed;
 * <li>what is answered was done: its effect is there. In a transaction there is no other
 * effect, and none without an answer; otherwise each attempt runs at most once, also one
 * whose outcome is unknown;
 * <li>everything is answered in the end;
 * <li>a changed request is refused, and never done;
 * <li>claims are granted as {@link LeaseChecker} says.
 * </ul>
 */
final class Checker {

	/**
	 * What a changed request asks for, and no other.
	 */
	static final int CHANGED_AMOUNT = -1;

	private final JsonMapper json = new JsonMapper();

	private final Facts facts;

	private final Map<KeyOfCaller, List<Effect>> effects;

	private final Set<Attempted> unstored;

	private final List<Violation> violations = new ArrayList<>();

	private Checker(Facts facts) {
		this.facts = facts;
		this.effects = facts.effects();
		this.unstored = facts.unstored();
	}

	static List<Violation> check(Facts facts) {
		Checker checker = new Checker(facts);
		facts.answers().forEach((key, answers) -> checker.checkAnswers(key, answers.keySet()));
		checker.effects.forEach(checker::checkEffects);
		if (facts.transactional()) {
			checker.checkTogether();
		}
		else {
			checker.checkAttempts();
		}
		checker.violations.addAll(LeaseChecker.check(facts));
		return checker.violations;
	}

	private void add(Kind kind, KeyOfCaller key, String story) {
		this.violations.add(new Violation(kind, key, story));
	}

	private void checkAnswers(KeyOfCaller key, Set<Answer> answers) {
		Set<String> kept = new HashSet<>();
		boolean answered = false;
		for (Answer answer : answers) {
			if (answer.changed()) {
				checkRefusal(key, answer);
			}
			else if (answer.isFinal()) {
				answered = true;
				Booked booked = read(answer);
				if (booked == null) {
					add(Kind.UNEXPECTED_ANSWER, key, answer.status() + " with this body: " + answer.body());
					continue;
				}
				checkAnswer(key, booked);
				if (!isUnstored(key, booked)) {
					kept.add(answer.body());
				}
			}
			else if (answer.status() != 409 && answer.status() < 500) {
				add(Kind.UNEXPECTED_ANSWER, key, answer.status() + " " + answer.body());
			}
		}
		if (kept.size() > 1) {
			add(Kind.TWO_ANSWERS, key, String.join(" and ", kept));
		}
		if (this.facts.settled().contains(key) && (!answered || !this.facts.completed().containsKey(key))) {
			add(Kind.NEVER_ANSWERED, key, answered ? "answered, and the store does not know" : "asked to the end");
		}
	}

	private @Nullable Booked read(Answer answer) {
		try {
			return this.json.readValue(answer.body(), Booked.class);
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * Completions that wait for nothing but a transaction never get lost like that.
	 */
	private boolean isUnstored(KeyOfCaller key, Booked booked) {
		return !this.facts.transactional() && this.unstored.contains(new Attempted(key, booked.attempt()));
	}

	private void checkRefusal(KeyOfCaller key, Answer answer) {
		if (answer.status() != 422 && answer.status() < 500) {
			add(Kind.REUSE_ALLOWED, key, "another request was answered with " + answer.status() + " " + answer.body());
		}
	}

	private void checkAnswer(KeyOfCaller key, Booked booked) {
		if (!key.equals(new KeyOfCaller(booked.caller(), booked.key()))) {
			add(Kind.WRONG_CALLER, key, "was told " + booked);
		}
		else if (this.effects.getOrDefault(key, List.of())
			.stream()
			.noneMatch((effect) -> effect.id().equals(booked.id()))) {
			add(Kind.LOST_EFFECT, key, "was told " + booked + ", which is not in the ledger");
		}
	}

	private void checkEffects(KeyOfCaller key, List<Effect> done) {
		for (Effect effect : done) {
			if (effect.amount() == CHANGED_AMOUNT) {
				add(Kind.REUSE_ALLOWED, key, "another request was done: " + effect);
			}
		}
		if (this.facts.transactional() && done.size() > 1) {
			add(Kind.TWO_EFFECTS, key, done.toString());
		}
	}

	/**
	 * A row and its key are there together.
	 */
	private void checkTogether() {
		Set<KeyOfCaller> rows = this.effects.keySet();
		rows.stream()
			.filter((key) -> !this.facts.completed().containsKey(key))
			.forEach((key) -> add(Kind.EFFECT_WITHOUT_ANSWER, key, "a row without its key"));
		this.facts.completed()
			.keySet()
			.stream()
			.filter((key) -> !rows.contains(key))
			.forEach((key) -> add(Kind.LOST_EFFECT, key, "a key without its row"));
	}

	/**
	 * Handlers that fail only where their outcome is unknown give no key back, and so
	 * each number is given once.
	 */
	private void checkAttempts() {
		Map<Attempted, List<Line>> runs = this.facts.lines(Entry.BEGUN)
			.stream()
			.collect(Collectors.groupingBy((line) -> new Attempted(line.key(), (int) line.number(2)), HashMap::new,
					Collectors.toList()));
		runs.forEach((attempted, lines) -> {
			if (lines.size() > 1) {
				add(Kind.ATTEMPT_RAN_TWICE, attempted.key(), lines.toString());
			}
		});
	}

}
