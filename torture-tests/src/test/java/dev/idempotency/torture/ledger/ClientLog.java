package dev.idempotency.torture.ledger;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What clients have asked for, and what they were told. Equal answers are kept once, with
 * their number.
 */
final class ClientLog {

	private final Map<KeyOfCaller, Map<Answer, Integer>> answers = new ConcurrentHashMap<>();

	final AtomicInteger requests = new AtomicInteger();

	final AtomicInteger retries = new AtomicInteger();

	final AtomicInteger replays = new AtomicInteger();

	final AtomicInteger unanswered = new AtomicInteger();

	void asked(KeyOfCaller key) {
		this.requests.incrementAndGet();
		this.answers.computeIfAbsent(key, (unknown) -> new HashMap<>());
	}

	void answered(KeyOfCaller key, Answer answer, boolean replayed) {
		if (replayed) {
			this.replays.incrementAndGet();
		}
		this.answers.computeIfPresent(key, (known, told) -> {
			told.merge(answer, 1, Integer::sum);
			return told;
		});
	}

	List<KeyOfCaller> keys() {
		return List.copyOf(this.answers.keySet());
	}

	/**
	 * All answers. To be looked at when nobody asks any more.
	 */
	Map<KeyOfCaller, Map<Answer, Integer>> answers() {
		return this.answers;
	}

	/**
	 * An answer.
	 *
	 * @param changed whether something else was asked for than before
	 * @param body what was said, if it was the last word
	 */
	record Answer(int status, boolean changed, String body) {

		boolean isFinal() {
			return this.status == 200;
		}

	}

}
