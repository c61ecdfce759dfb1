package dev.idempotency.client;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.idempotency.IdempotencyContext;

/**
 * The calls that one attempt at an operation has made so far. Equal ones are told apart
 * by a number. One that fails gives its number back: the next equal call is its retry,
 * also where the application itself retries.
 * <p>
 * Calls of several threads at once have no defined order, and need none, since only equal
 * ones share numbers.
 */
final class OutgoingCalls {

	/**
	 * Entries live as long as their context. All clients share them, since two of them
	 * may make the same call.
	 */
	private static final LoadingCache<IdempotencyContext, OutgoingCalls> byContext = Caffeine.newBuilder()
		.weakKeys()
		.build((context) -> new OutgoingCalls());

	/**
	 * The numbers that are taken, by the digest that equal calls share.
	 */
	private final Map<String, BitSet> taken = new HashMap<>();

	static OutgoingCalls of(IdempotencyContext context) {
		return byContext.get(context);
	}

	/**
	 * Takes the lowest number that is free.
	 * @param call the digest that equal calls share
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
