package dev.idempotency.autoconfigure;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.store.IdempotencyStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the store: the one that the settings name, or else the only one beside the
 * memory of the process.
 */
final class StoreChoice {

	private static final Logger logger = LoggerFactory.getLogger(StoreChoice.class);

	private final List<StoreCandidate> candidates;

	private final @Nullable TestSlice slice;

	/**
	 * Create a choice.
	 * @param candidates the available stores
	 * @param slice set in a test slice, which has neither database nor Redis
	 */
	StoreChoice(List<StoreCandidate> candidates, @Nullable TestSlice slice) {
		this.candidates = candidates;
		this.slice = slice;
	}

	IdempotencyStore choose(StoreType type) {
		StoreCandidate chosen = (type == StoreType.AUTO) ? onlyShared() : named(type);
		logger.debug("Idempotency keys are stored in {}", nameOf(chosen.type()));
		IdempotencyStore store = chosen.factory().get();
		return (this.slice != null && chosen.type() == StoreType.MEMORY) ? this.slice.joining(store) : store;
	}

	private StoreCandidate onlyShared() {
		List<StoreCandidate> shared = this.candidates.stream()
			.filter((candidate) -> candidate.type() != StoreType.MEMORY)
			.toList();
		if (shared.size() > 1) {
			String names = shared.stream().map((it) -> nameOf(it.type())).sorted().collect(Collectors.joining(" and "));
			throw new IdempotencyConfigurationException(
					"Idempotency keys can be stored in %s, and nothing says in which".formatted(names),
					"Set idempotency.store to one of them (or to memory), or define an IdempotencyStore bean.");
		}
		if (shared.isEmpty() && this.slice == null) {
			logger.warn("Idempotency keys are stored in the memory of this process: after a restart, or on another "
					+ "instance, a retry runs again. Set idempotency.store=memory if that is what you want, "
					+ "or add a database or Redis.");
		}
		return shared.isEmpty() ? named(StoreType.MEMORY) : shared.get(0);
	}

	private StoreCandidate named(StoreType type) {
		return find(type).or(() -> inSlice(type))
			.orElseThrow(() -> new IdempotencyConfigurationException(
					"idempotency.store is %s, and %s".formatted(nameOf(type), whatIsMissing(type)), howToGet(type)));
	}

	private Optional<StoreCandidate> find(StoreType type) {
		return this.candidates.stream().filter((candidate) -> candidate.type() == type).findFirst();
	}

	private Optional<StoreCandidate> inSlice(StoreType type) {
		if (this.slice == null) {
			return Optional.empty();
		}
		logger.info("idempotency.store is {}, which this test slice does not have: keys are stored in memory",
				nameOf(type));
		return find(StoreType.MEMORY);
	}

	private static String whatIsMissing(StoreType type) {
		return (type == StoreType.JDBC) ? "there is no DataSource" : "there is no RedisConnectionFactory";
	}

	private static String howToGet(StoreType type) {
		return (type == StoreType.JDBC)
				? "Add spring-boot-starter-jdbc, a driver and spring.datasource.url, or define a JdbcIdempotencyStore bean."
				: "Add spring-boot-starter-data-redis and spring.data.redis.host, or define a RedisIdempotencyStore bean.";
	}

	private static String nameOf(StoreType type) {
		return type.name().toLowerCase(Locale.ROOT);
	}

}
