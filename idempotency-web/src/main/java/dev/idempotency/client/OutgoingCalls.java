package dev.idempotency.client;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.idempotency.IdempotencyContext;

/**
 * The calls that one attempt at an operation has made so far. Equal ones are told apart
 * by a number. One that fails gives its number back: the next that is equal to it is its
 * retry, also where the application itself retries.
 * <p>
 * Calls of several threads at once have no defined order, and need none, since only equal
 * ones share numbers.
 */
final class OutgoingCalls {

	/**
	 * As long as somebody knows the context, and for all clients alike: two of them may
	 * make the same call.
	 */
	private static final LoadingCache<IdempotencyContext, OutgoingCalls> byContext = Caffeine.newBuilder()
		.weakKeys()
		.build((context) -> new OutgoingCalls());

	/**
	 * The numbers that are taken, by what makes calls equal.
	 */
	private final Map<String, BitSet> taken = new HashMap<>();

	static OutgoingCalls of(IdempotencyContext context) {
		return byContext.get(context);
	}

	/**
	 * Takes the lowest number that is free.
	 * @param call what makes calls equal
	 */
	synchronized int take(String call) {
		BitSet numbers = numbersOf(call);
		int number = numbers.nextClearBit(0);
		numbers.set(number);
		return number;
	}

	synchronized void giveBack(String call, int number) {
		numbersOf(call).clear(number);
	}

	private BitSet numbersOf(String call) {
		return this.taken.computeIfAbsent(call, (it) -> new BitSet());
	}

}
