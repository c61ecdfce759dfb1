package dev.idempotency.benchmarks.sizing;

/**
 * Measures the size of stores, and prints it next to what {@link Sizing} calculates:
 * {@code redis 1000000 200}, {@code postgres 1000000 200}, {@code cluster 6 600000 200}.
 * Up to a million records are written through the store; of more, all but a hundred
 * thousand by the server itself, with the same bytes.
 */
final class SizingRun {

	private static final int MOST_THROUGH_THE_STORE = 1_000_000;

	private static final int SOME = 100_000;

	private SizingRun() {
	}

	/**
	 * Measures.
	 * @param args the store, the number of records, and the bytes of a response
	 */
	public static void main(String[] args) throws InterruptedException {
		int records = Integer.parseInt(args[args.length - 2]);
		int answer = Integer.parseInt(args[args.length - 1]);
		int throughTheStore = (records <= MOST_THROUGH_THE_STORE) ? records : SOME;
		switch (args[0]) {
			case "redis" -> RedisSizes.measure(records, answer, throughTheStore);
			case "postgres" -> PostgresSizes.measure(records, answer, throughTheStore);
			case "cluster" -> ClusterSizes.measure(Integer.parseInt(args[1]), records, answer);
			default -> throw new IllegalArgumentException("redis, postgres or cluster, not " + args[0]);
		}
	}

}
