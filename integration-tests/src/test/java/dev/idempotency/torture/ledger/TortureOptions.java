package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import dev.idempotency.fixtures.LongRun;

/**
 * What is tortured, and for how long.
 *
 * @param store where keys are remembered
 * @param ledger where the ledger is kept
 * @param lasting for how long things go wrong
 * @param seed from which everything is drawn
 * @param instances how many processes share the store
 * @param bugs mistakes that are to be found, with keys for each of them and some without
 */
record TortureOptions(Store store, Ledger ledger, Duration lasting, long seed, int instances, List<PlantedBug> bugs) {

	TortureOptions {
		if (ledger != Ledger.APART && store != Store.POSTGRES) {
			throw new IllegalArgumentException("Only postgres is transactional");
		}
		bugs = List.copyOf(bugs);
	}

	/**
	 * A store in all its arrangements.
	 */
	enum Store {

		MEMORY, REDIS, POSTGRES;

		TorturedStore start() {
			return switch (this) {
				case MEMORY -> new MemoryUnderTorture();
				case REDIS -> new RedisUnderTorture();
				case POSTGRES -> new PostgresUnderTorture();
			};
		}

	}

	/**
	 * Where the ledger is kept.
	 */
	enum Ledger {

		/**
		 * Elsewhere than the keys.
		 */
		APART(16),

		/**
		 * In the store's own database, and {@code transactional = true} holds for it.
		 */
		TRANSACTIONAL(16),

		/**
		 * The same, and no transaction may see that it is not alone.
		 */
		SERIALIZABLE(16),

		/**
		 * The same as transactional, with too few connections for those who ask, and much
		 * work that holds one for longer than a lease.
		 */
		STARVED(2);

		private final int connections;

		Ledger(int connections) {
			this.connections = connections;
		}

		private String suffix() {
			return (this == APART) ? "" : "-" + name().toLowerCase(Locale.ROOT);
		}

	}

	static TortureOptions of(String name, Duration lasting, long seed) {
		String[] parts = name.toUpperCase(Locale.ROOT).split("-", 2);
		Ledger ledger = (parts.length == 1) ? Ledger.APART : Ledger.valueOf(parts[1]);
		return new TortureOptions(Store.valueOf(parts[0]), ledger, lasting, seed,
				Integer.getInteger("torture.instances", LongRun.choose(2, 3)), List.of());
	}

	TortureOptions with(List<PlantedBug> planted) {
		return new TortureOptions(this.store, this.ledger, this.lasting, this.seed,
				planted.isEmpty() ? this.instances : 3, planted);
	}

	String name() {
		return this.store.name().toLowerCase(Locale.ROOT) + this.ledger.suffix();
	}

	/**
	 * Whether effects and keys are committed together.
	 */
	boolean transactional() {
		return this.ledger != Ledger.APART;
	}

	/**
	 * Settings of the application, beside those of the store.
	 */
	List<String> settings() {
		String isolation = (this.ledger == Ledger.SERIALIZABLE) ? "TRANSACTION_SERIALIZABLE"
				: "TRANSACTION_READ_COMMITTED";
		return List.of("--spring.datasource.hikari.maximum-pool-size=" + this.ledger.connections,
				"--spring.datasource.hikari.transaction-isolation=" + isolation,
				"--idempotency.lease=" + lease().toMillis() + "ms");
	}

	Duration lease() {
		return Duration.ofSeconds(2);
	}

	/**
	 * A process that is alone is missed for as long as the next one takes to start; and
	 * most bugs come to light when someone comes back from a pause.
	 */
	int pausesForAKill() {
		return (this.store == Store.MEMORY || !this.bugs.isEmpty()) ? 3 : 1;
	}

	String path() {
		return transactional() ? "/book-in-transaction" : "/book";
	}

	/**
	 * How long the work for a key takes: mostly no time at all, sometimes longer than a
	 * lease. Bugs that have to do with leases are found where work is under way.
	 */
	long workMillis(String key, int amount) {
		if (amount % ((this.ledger == Ledger.STARVED) ? 10 : 50) == 0) {
			return lease().toMillis() * 3 / 2;
		}
		if (key.startsWith(PlantedBug.UNFENCED_COMPLETE.label()) || key.startsWith(PlantedBug.HASTY_TAKEOVER.label())) {
			return lease().toMillis() * 3 / 4;
		}
		return (amount % 3 == 0) ? amount : amount % 10;
	}

	/**
	 * A key. Processes whose store dies with them have keys of their own, and so have
	 * bugs.
	 */
	String key(int number, int generation) {
		int choice = number % (this.bugs.size() + 1);
		String bug = (choice == 0) ? "" : this.bugs.get(choice - 1).label() + "-";
		return bug + "k" + number + "-" + suffix(generation);
	}

	private String suffix(int generation) {
		return (this.store == Store.MEMORY) ? "p" + generation : "p";
	}

	/**
	 * Whether a key may be asked for there.
	 */
	boolean keyLivesIn(String key, int generation) {
		return key.endsWith("-" + suffix(generation));
	}

}
