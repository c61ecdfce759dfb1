package dev.idempotency.benchmarks.load;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/**
 * The floor without a store: a map without eviction.
 */
@ConditionalOnProperty(name = "load.floor", havingValue = "memory")
final class FloorInMemory extends Floor {

	private static final byte[] CLAIMED = {};

	private final Map<String, byte[]> answers = new ConcurrentHashMap<>();

	@Override
	byte @Nullable [] claim(String key) {
		return this.answers.putIfAbsent(key, CLAIMED);
	}

	@Override
	void complete(String key, byte[] answer) {
		this.answers.put(key, answer);
	}

}
