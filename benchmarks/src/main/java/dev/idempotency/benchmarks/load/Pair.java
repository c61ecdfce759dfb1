package dev.idempotency.benchmarks.load;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.benchmarks.load.Workload.Kind;

/**
 * A comparison of the starter on a store with another subject.
 */
enum Pair {

	/**
	 * With its default limits, which are reached before anything is measured.
	 */
	MEMORY {
		@Override
		Subject[] open(Bench bench, String... settings) {
			Subject full = bench.onMemory(settings);
			full.fill(FULL);
			return new Subject[] { bench.without(settings), full };
		}

		@Override
		Goal goal(Kind kind) {
			return (kind == Kind.FIRST) ? Goal.of(0.85, 3 * 1024) : Goal.of(2.0);
		}

		@Override
		Goal goalOf10KB(Kind kind) {
			return (kind == Kind.FIRST) ? Goal.of(0.85, 25 * 1024) : Goal.NONE;
		}

		@Override
		Goal goalOf1MB(Kind kind) {
			return (kind == Kind.FIRST) ? Goal.of(0.70, 3 * 1024 * 1024) : Goal.NONE;
		}
	},

	REDIS {
		@Override
		Subject[] open(Bench bench, String... settings) {
			Servers.Redis server = bench.redis();
			return new Subject[] { bench.floorOnRedis(server, settings), bench.onRedis(server, settings) };
		}

		@Override
		Goal goal(Kind kind) {
			return Goal.of((kind == Kind.FIRST) ? 0.95 : 0.88);
		}

		@Override
		Goal goalOf10KB(Kind kind) {
			return (kind == Kind.FIRST) ? Goal.NONE : Goal.of(0.75);
		}
	},

	POSTGRES {
		@Override
		Subject[] open(Bench bench, String... settings) {
			Servers.Postgres server = bench.postgres();
			return new Subject[] { bench.floorOnPostgres(server, settings), bench.onPostgres(server, settings) };
		}

		@Override
		Goal goal(Kind kind) {
			return Goal.of((kind == Kind.FIRST) ? 0.92 : 0.88);
		}
	};

	/**
	 * The default limit of results of a store in memory.
	 */
	private static final int FULL = 100_000;

	/**
	 * Starts both subjects, first the base.
	 */
	abstract Subject[] open(Bench bench, String... settings);

	abstract Goal goal(Kind kind);

	Goal goalOf10KB(Kind kind) {
		return Goal.NONE;
	}

	Goal goalOf1MB(Kind kind) {
		return Goal.NONE;
	}

}
