package dev.idempotency.autoconfigure;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.store.IdempotencyStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the store: the one that the settings name, or else the only one there is beside
 * the memory of the process.
 */
final class StoreChoice {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyAutoConfiguration.class);

	private final List<StoreCandidate> candidates;

	StoreChoice(List<StoreCandidate> candidates) {
		this.candidates = candidates;
	}

	IdempotencyStore choose(StoreType type) {
		StoreCandidate chosen = (type == StoreType.AUTO) ? onlyShared() : named(type);
		logger.debug("Idempotency keys are remembered by the store {}", nameOf(chosen.type()));
		return chosen.factory().get();
	}

	private StoreCandidate onlyShared() {
		List<StoreCandidate> shared = this.candidates.stream()
			.filter((candidate) -> candidate.type() != StoreType.MEMORY)
			.toList();
		if (shared.size() > 1) {
			String names = shared.stream().map((it) -> nameOf(it.type())).sorted().collect(Collectors.joining(" and "));
			throw new IdempotencyConfigurationException(
					"Idempotency keys could be remembered by %s, and nothing says by which".formatted(names),
					"Set idempotency.store to one of them (or to memory), or define an IdempotencyStore bean.");
		}
		if (shared.isEmpty()) {
			logger.warn("Idempotency keys are remembered in the memory of this process: after a restart, or on another "
					+ "instance, a retry runs again. Set idempotency.store=memory if that is what you want, "
					+ "or add a database or Redis.");
			return named(StoreType.MEMORY);
		}
		return shared.get(0);
	}

	private StoreCandidate named(StoreType type) {
		return this.candidates.stream()
			.filter((candidate) -> candidate.type() == type)
			.findFirst()
			.orElseThrow(() -> new IdempotencyConfigurationException(
					"idempotency.store is %s, and %s".formatted(nameOf(type), whatIsMissing(type)), howToGet(type)));
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
