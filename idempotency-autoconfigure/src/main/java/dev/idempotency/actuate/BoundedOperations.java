package dev.idempotency.actuate;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One value per operation, up to a limit; all further operations share one value. Names
 * of operations come from routes and methods, but an application can create any number.
 */
final class BoundedOperations<T> {

	/**
	 * The name of all further operations.
	 */
	static final String OTHER = "other";

	private static final Logger logger = LoggerFactory.getLogger(BoundedOperations.class);

	private final int max;

	private final Function<String, T> create;

	private final ConcurrentMap<String, T> known = new ConcurrentHashMap<>();

	private final T other;

	private volatile boolean full;

	BoundedOperations(int max, Function<String, T> create) {
		if (max < 1) {
			throw new IllegalArgumentException("At least one operation must have a name, but max is %d".formatted(max));
		}
		this.max = max;
		this.create = create;
		this.other = create.apply(OTHER);
	}

	T get(String operation) {
		T found = this.known.get(operation);
		if (found != null) {
			return found;
		}
		return this.full ? this.other : add(operation);
	}

	private synchronized T add(String operation) {
		if (this.known.size() < this.max) {
			return this.known.computeIfAbsent(operation, this.create);
		}
		if (!this.full) {
			this.full = true;
			logger.warn("There are more than {} operations: the meters of all further ones are tagged \"{}\"", this.max,
					OTHER);
		}
		return this.known.getOrDefault(operation, this.other);
	}

}
