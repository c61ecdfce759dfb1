package dev.idempotency.benchmarks.load;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * The requests that concurrent clients send.
 *
 * @param path the path of the handler
 * @param kind whether keys are new
 * @param connections the number of clients
 * @param noteLength how much longer than the shortest a request and its response are
 */
record Workload(String path, Kind kind, int connections, int noteLength) {

	/**
	 * Requests and responses of about 200 bytes.
	 */
	static final int SMALL = 10;

	private static final String KEY = "6f9619ff-8b86-4011-b42d-";

	private static final int DIGITS = 12;

	private static final int VOCABULARY = 500;

	static Workload plain() {
		return new Workload("/plain", Kind.FIRST, 8, SMALL);
	}

	static Workload of(Kind kind) {
		return new Workload("/protected", kind, 8, SMALL);
	}

	Workload withConnections(int connections) {
		return new Workload(this.path, this.kind, connections, this.noteLength);
	}

	Workload withNote(int noteLength) {
		return new Workload(this.path, this.kind, this.connections, noteLength);
	}

	Workload withKind(Kind kind) {
		return new Workload(this.path, kind, this.connections, this.noteLength);
	}

	/**
	 * A request that a client sends again and again, with other keys.
	 */
	Request newRequest() {
		byte[] body = "{\"customer\":\"cus_81b5d0f7\",\"amount\":4200,\"note\":\"%s\"}".formatted(note())
			.getBytes(StandardCharsets.US_ASCII);
		String head = "POST %s HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: %s".formatted(this.path, KEY);
		String rest = "\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n"
			.formatted(body.length);
		byte[] before = (head + "0".repeat(DIGITS) + rest).getBytes(StandardCharsets.US_ASCII);
		byte[] bytes = new byte[before.length + body.length];
		System.arraycopy(before, 0, bytes, 0, before.length);
		System.arraycopy(body, 0, bytes, before.length, body.length);
		return new Request(bytes, head.length());
	}

	/**
	 * Words, which compress about as well as natural text.
	 */
	private String note() {
		Random random = new Random(this.noteLength);
		StringBuilder note = new StringBuilder();
		while (note.length() < this.noteLength) {
			note.append(word(random.nextInt(VOCABULARY))).append(' ');
		}
		return note.substring(0, this.noteLength);
	}

	private static String word(int number) {
		Random random = new Random(number);
		return random.ints(2 + random.nextInt(8), 'a', 'z' + 1)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

	/**
	 * Whether keys are new.
	 */
	enum Kind {

		/**
		 * Each key is new, and the handler runs.
		 */
		FIRST("first request"),

		/**
		 * Each key is known, and the handler does not run.
		 */
		REPLAY("replay");

		private final String name;

		Kind(String name) {
			this.name = name;
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	/**
	 * The bytes of a request, in which only the key changes.
	 */
	static final class Request {

		private final byte[] bytes;

		private final int digits;

		private Request(byte[] bytes, int digits) {
			this.bytes = bytes;
			this.digits = digits;
		}

		/**
		 * Writes another key into the request.
		 */
		byte[] withKey(long number) {
			for (int i = 0; i < DIGITS; i++) {
				int digit = (int) (number >>> (4 * (DIGITS - 1 - i))) & 15;
				this.bytes[this.digits + i] = (byte) Character.forDigit(digit, 16);
			}
			return this.bytes;
		}

	}

}
