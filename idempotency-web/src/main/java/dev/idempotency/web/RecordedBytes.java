package dev.idempotency.web;

import java.io.IOException;
import java.util.Arrays;

import dev.idempotency.http.AnswerBody;

/**
 * The recorded bytes of a body. A body that outgrows its arrays continues in another one,
 * which is larger the longer the body is, and nothing is moved.
 */
final class RecordedBytes {

	/**
	 * A piece of at least this size gets an array of its own, and smaller ones are
	 * gathered. Most bodies are one piece: for the first, {@link #ONE_PIECE} is enough.
	 */
	private static final int LARGE = 1024;

	private static final int ONE_PIECE = 64;

	private static final int LEAST_GATHERED = 512;

	private static final int MOST_GATHERED = 8 * 1024;

	private static final byte[][] NOTHING = {};

	/**
	 * All full, except the last one.
	 */
	private byte[][] pieces = NOTHING;

	private int count;

	/**
	 * How many bytes are free in the last piece.
	 */
	private int room;

	private int size;

	int size() {
		return this.size;
	}

	void add(byte[] source, int offset, int length) {
		int fitting = Math.min(length, this.room);
		if (fitting > 0) {
			byte[] last = this.pieces[this.count - 1];
			System.arraycopy(source, offset, last, last.length - this.room, fitting);
			this.room -= fitting;
		}
		int rest = length - fitting;
		if (rest > 0) {
			byte[] next = new byte[sizeFor(rest)];
			System.arraycopy(source, offset + fitting, next, 0, rest);
			if (this.count == this.pieces.length) {
				this.pieces = Arrays.copyOf(this.pieces, Math.max(1, 2 * this.count));
			}
			this.pieces[this.count++] = next;
			this.room = next.length - rest;
		}
		this.size += length;
	}

	/**
	 * The size of the next array.
	 */
	private int sizeFor(int length) {
		if (length >= ((this.count == 0) ? ONE_PIECE : LARGE)) {
			return length;
		}
		return Math.max(length, Math.min(Math.max(this.size, LEAST_GATHERED), MOST_GATHERED));
	}

	void clear() {
		this.pieces = NOTHING;
		this.count = 0;
		this.room = 0;
		this.size = 0;
	}

	/**
	 * Writes all bytes, one array after the other.
	 */
	void writeTo(Target target) throws IOException {
		for (int i = 0; i < this.count; i++) {
			byte[] piece = this.pieces[i];
			target.write(piece, 0, piece.length - ((i == this.count - 1) ? this.room : 0));
		}
	}

	AnswerBody toBody() {
		return AnswerBody.ofPieces(this.pieces, this.size);
	}

	/**
	 * Where bytes are written to.
	 */
	@FunctionalInterface
	interface Target {

		void write(byte[] source, int offset, int length) throws IOException;

	}

}
