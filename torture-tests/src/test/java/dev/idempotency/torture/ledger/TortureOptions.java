package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

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

		MEMORY, REDIS, REDIS_CLUSTER, POSTGRES, POSTGRES_TENANTS;

		TorturedStore start() {
			return switch (this) {
				case MEMORY -> new MemoryUnderTorture();
				case REDIS -> new RedisUnderTorture();
				case REDIS_CLUSTER -> new RedisClusterUnderTorture();
				case POSTGRES -> new PostgresUnderTorture();
				case POSTGRES_TENANTS -> new PostgresTenantsUnderTorture();
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
			return (this == APART) ? "" : "_" + name();
		}

	}

	static TortureOptions of(String name, Duration lasting, long seed) {
		int instances = Integer.getInteger("torture.instances", LongRun.choose(2, 3));
		return Stream.of(Store.values())
			.flatMap((store) -> Stream.of(Ledger.values())
				.filter((ledger) -> name(store, ledger).equals(name))
				.map((ledger) -> new TortureOptions(store, ledger, lasting, seed, instances, List.of())))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no store " + name));
	}

	private static String name(Store store, Ledger ledger) {
		return (store.name() + ledger.suffix()).toLowerCase(Locale.ROOT).replace('_', '-');
	}

	TortureOptions with(List<PlantedBug> planted) {
		return new TortureOptions(this.store, this.ledger, this.lasting, this.seed,
				planted.isEmpty() ? this.instances : 3, planted);
	}

	String name() {
		return name(this.store, this.ledger);
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
		if (amount % (needsRenewals() ? 10 : 50) == 0 || key.startsWith(PlantedBug.ONE_QUEUE.label())) {
			return lease().toMillis() * 3 / 2;
		}
		if (key.startsWith(PlantedBug.UNFENCED_COMPLETE.label()) || key.startsWith(PlantedBug.HASTY_TAKEOVER.label())) {
			return lease().toMillis() * 3 / 4;
		}
		return (amount % 3 == 0) ? amount : amount % 10;
	}

	/**
	 * Whether renewals are what may fail here: connections are few, or one place is ill
	 * while the others are well.
	 */
	private boolean needsRenewals() {
		return this.ledger == Ledger.STARVED || this.store == Store.REDIS_CLUSTER
				|| this.store == Store.POSTGRES_TENANTS;
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
