package dev.idempotency.benchmarks.sizing;

import java.time.Duration;
import java.util.Locale;

/**
 * Calculates what a store needs for a rate of first requests. A single file without
 * dependencies: {@code java Sizing.java 1000 24h 200}. The formulas are explained in
 * docs/sizing.md, and tests compare them with real servers.
 */
final class Sizing {

	/**
	 * How an allocator rounds sizes.
	 */
	enum Allocator {

		/**
		 * Adds eight bytes, and rounds nothing.
		 */
		PLAIN {
			@Override
			long take(long bytes) {
				return bytes + 8;
			}
		},

		/**
		 * Has four sizes for each power of two.
		 */
		JEMALLOC {
			@Override
			long take(long bytes) {
				long step = Math.max(16, Long.highestOneBit(bytes - 1) / 4);
				return (bytes <= 8) ? 8 : (bytes + step - 1) / step * step;
			}
		};

		abstract long take(long bytes);

		@Override
		public String toString() {
			return (this == PLAIN) ? "libc" : "jemalloc";
		}

	}

	/**
	 * What is stored of an HTTP response beside its body: status, content type, versions.
	 */
	private static final int ANSWER_HEAD = 13;

	private static final int DIGEST = 32;

	/**
	 * A namespace of 8 characters and an operation of 14.
	 */
	private static final int TEXTS = 8 + 14;

	/**
	 * The name of a record in Redis begins with it.
	 */
	private static final int PREFIX = "idempotency:".length();

	private static final int PAGE = 8192;

	/**
	 * The usable bytes of a page.
	 */
	private static final int ROOM_ON_PAGE = PAGE - 24;

	/**
	 * The result of a larger row goes to the TOAST table.
	 */
	private static final int LARGEST_ROW = 2032;

	private static final int TOAST_CHUNK = 1996;

	/**
	 * The used share of the pages of rows. The rest are versions that completions
	 * replaced.
	 */
	private static final double HEAP_FILL = 0.93;

	/**
	 * The used share of an index that grows at random places, and of one that grows at
	 * its end.
	 */
	private static final double RANDOM_FILL = 0.69;

	private static final double RIGHT_FILL = 0.9;

	/**
	 * Completions that find no room on the page of their claim have entries of their own.
	 */
	private static final double INDEX_ENTRIES = 1.057;

	/**
	 * Two statements and two commits, with two entries in indexes, without the result.
	 */
	private static final int WAL_OF_A_REQUEST = 700;

	/**
	 * A lock and a deletion.
	 */
	private static final int WAL_OF_A_PURGE = 125;

	/**
	 * Seconds of a core for a first request, as measured.
	 */
	private static final double REDIS_CPU = 23e-6;

	private static final double POSTGRES_CPU = 160e-6;

	/**
	 * The default share of dead rows from which on autovacuum runs.
	 */
	private static final double AUTOVACUUM_SCALE = 0.2;

	private static final int DAY = 24 * 60 * 60;

	private Sizing() {
	}

	/**
	 * Prints the figures.
	 * @param args first requests a second, the ttl such as 24h, bytes of a response
	 */
	public static void main(String[] args) {
		if (args.length != 3) {
			System.err.println("First requests a second, ttl (90s, 30m, 24h, 7d), bytes of a response: 1000 24h 200");
			System.exit(1);
		}
		System.out.print(print(Double.parseDouble(args[0]), duration(args[1]), Integer.parseInt(args[2])));
	}

	private static Duration duration(String text) {
		return Duration.parse(text.endsWith("d") ? "P" + text : "PT" + text);
	}

	/**
	 * Returns all figures as a readable text.
	 */
	static String print(double rate, Duration ttl, int answer) {
		long records = Math.round(rate * ttl.toSeconds());
		double disk = postgresDisk(records, answer);
		StringBuilder text = new StringBuilder();
		add(text, "records kept", "%,d", records);
		add(text, "Redis, memory with jemalloc", "%,.1f GB", giga(redisMemory(records, answer, Allocator.JEMALLOC)));
		add(text, "Redis, memory with libc", "%,.1f GB", giga(redisMemory(records, answer, Allocator.PLAIN)));
		add(text, "Redis, CPU", "%.2f cores", rate * REDIS_CPU);
		add(text, "PostgreSQL, table and TOAST", "%,.1f GB",
				giga(records * (heapOfARecord(answer) + toastOfARecord(answer))));
		add(text, "PostgreSQL, indexes", "%,.1f GB", giga(records * (idIndexOfARecord() + expiryIndexOfARecord())));
		add(text, "PostgreSQL, disk", "%,.1f GB", giga(disk));
		add(text, "PostgreSQL, disk when a fifth is dead", "%,.1f GB", giga(disk * (1 + AUTOVACUUM_SCALE)));
		add(text, "PostgreSQL, CPU", "%.2f cores", rate * POSTGRES_CPU);
		add(text, "WAL a day of requests, checkpoints every 5 min", "%,.0f GB",
				giga(walOfADay(records, rate, answer, 300)));
		add(text, "WAL a day of requests, checkpoints every 30 min", "%,.0f GB",
				giga(walOfADay(records, rate, answer, 1800)));
		add(text, "rows to purge a day", "%,.0f", rate * DAY);
		add(text, "WAL a day of vacuums, at least", "%,.0f GB", giga(walOfAVacuum(Math.round(rate * DAY), answer)));
		add(text, "WAL a day of purging", "%,.0f GB", giga(rate * DAY * walOfAPurge(answer)));
		return text.toString();
	}

	private static void add(StringBuilder text, String what, String format, Object value) {
		text.append(String.format(Locale.ROOT, "%-50s" + format + "%n", what, value));
	}

	private static double walOfADay(long records, double rate, int answer, int checkpoint) {
		return walAfterACheckpoint(records, rate * checkpoint, answer) * DAY / checkpoint;
	}

	private static double giga(double bytes) {
		return bytes / 1e9;
	}

	/**
	 * The size of a result in a store.
	 */
	static int frame(int answer) {
		return answer + ANSWER_HEAD;
	}

	/**
	 * The memory of records in one Redis.
	 */
	static double redisMemory(long records, int answer, Allocator allocator) {
		return records * redisRecord(answer, allocator) + redisTables(records);
	}

	/**
	 * The memory of records on all nodes of a cluster, where each name is also in a list
	 * of its slot.
	 */
	static double clusterMemory(int nodes, long records, int answer, Allocator allocator) {
		return nodes * redisMemory(records / nodes, answer, allocator)
				+ records * (allocator.take(24 + 16) - allocator.take(24));
	}

	/**
	 * The name, the value with its head, and an entry in each of two tables, one of them
	 * for its expiry.
	 */
	private static long redisRecord(int answer, Allocator allocator) {
		int frame = frame(answer);
		int sizeOfFrame = (frame < 1 << 7) ? 1 : (frame < 1 << 14) ? 2 : 3;
		int value = 22 + DIGEST + TEXTS + 2 + 16 + sizeOfFrame + frame;
		return allocator.take(text(PREFIX + DIGEST)) + allocator.take(text(value)) + allocator.take(16)
				+ 2 * allocator.take(24);
	}

	/**
	 * A string is preceded by its length and followed by a zero.
	 */
	private static int text(int length) {
		return length + 1 + ((length < 1 << 8) ? 3 : (length < 1 << 16) ? 5 : 9);
	}

	/**
	 * Two tables of pointers, as large as the next power of two.
	 */
	private static double redisTables(long records) {
		return 2 * 8 * Math.pow(2, Math.ceil(Math.log((double) Math.max(4, records)) / Math.log(2)));
	}

	/**
	 * The disk space of records in a PostgreSQL.
	 */
	static double postgresDisk(long records, int answer) {
		return records * (heapOfARecord(answer) + toastOfARecord(answer) + idIndexOfARecord() + expiryIndexOfARecord());
	}

	static double heapOfARecord(int answer) {
		int row = isToasted(answer) ? aligned(rowWithout(18)) : aligned(rowWithout(varying(frame(answer))));
		return PAGE / Math.floor(ROOM_ON_PAGE / (row + 4.0)) / HEAP_FILL;
	}

	private static boolean isToasted(int answer) {
		return rowWithout(varying(frame(answer))) > LARGEST_ROW;
	}

	/**
	 * Head, four times of eight bytes, two small numbers, two digests, texts and the key.
	 */
	private static int rowWithout(int result) {
		return 32 + 4 * 8 + 2 * 2 + result + 2 * (1 + DIGEST) + 2 + TEXTS + 1 + 36;
	}

	private static int varying(int length) {
		return length + ((length < 127) ? 1 : 4);
	}

	private static int aligned(int bytes) {
		return (bytes + 7) / 8 * 8;
	}

	static double toastOfARecord(int answer) {
		if (!isToasted(answer)) {
			return 0;
		}
		int whole = frame(answer) / TOAST_CHUNK;
		int rest = frame(answer) % TOAST_CHUNK;
		double rows = whole * PAGE / 4.0 + ((rest > 0) ? aligned(36 + rest) + 4 : 0);
		return rows + (whole + ((rest > 0) ? 1 : 0)) * (16 + 4) / RIGHT_FILL;
	}

	static double idIndexOfARecord() {
		return INDEX_ENTRIES * (48 + 4) / RANDOM_FILL;
	}

	static double expiryIndexOfARecord() {
		return INDEX_ENTRIES * (16 + 4) / RIGHT_FILL;
	}

	/**
	 * The WAL of a first request without full-page images.
	 */
	static double walOfARequest(int answer) {
		return WAL_OF_A_REQUEST + frame(answer);
	}

	/**
	 * The WAL of requests after a checkpoint. A page of the index of ids is logged in
	 * full at its first change after a checkpoint.
	 */
	static double walAfterACheckpoint(long records, double requests, int answer) {
		double pages = records * idIndexOfARecord() / PAGE;
		double changed = pages * (1 - Math.exp(-requests / pages));
		return requests * walOfARequest(answer) + changed * RANDOM_FILL * PAGE;
	}

	/**
	 * The image of a page of the table, without the room that is free on it.
	 */
	static double imageOfAPage() {
		return HEAP_FILL * PAGE;
	}

	/**
	 * The WAL of a vacuum of new rows: each page once.
	 */
	static double walOfAVacuum(long records, int answer) {
		return records
				* (HEAP_FILL * heapOfARecord(answer) + RANDOM_FILL * idIndexOfARecord() + expiryIndexOfARecord());
	}

	/**
	 * The WAL of the removal of a record: its own, and its part of the image of its page.
	 */
	static double walOfAPurge(int answer) {
		return WAL_OF_A_PURGE + heapOfARecord(answer);
	}

}
