package dev.idempotency.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.Checksum;

import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, in one array or several. They are not copied, since they may be
 * large, and must not be changed.
 */
public final class AnswerBody {

	private static final AnswerBody EMPTY = of(new byte[0]);

	private final byte[][] pieces;

	private final int start;

	private final int length;

	private AnswerBody(byte[][] pieces, int start, int length) {
		this.pieces = pieces;
		this.start = start;
		this.length = length;
	}

	/**
	 * No body.
	 */
	public static AnswerBody empty() {
		return EMPTY;
	}

	/**
	 * A body that is a whole array.
	 * @param bytes the array
	 */
	public static AnswerBody of(byte[] bytes) {
		return of(bytes, 0, bytes.length);
	}

	/**
	 * A body that is a part of an array.
	 * @param bytes the array
	 * @param start where in it the body begins
	 * @param length how many bytes it has
	 */
	public static AnswerBody of(byte[] bytes, int start, int length) {
		return new AnswerBody(new byte[][] { bytes }, start, length);
	}

	/**
	 * A body in several arrays.
	 * @param pieces the arrays, of which the last may be longer than it need be
	 * @param length how many bytes there are in all
	 */
	public static AnswerBody ofPieces(byte[][] pieces, int length) {
		return new AnswerBody(pieces, 0, length);
	}

	/**
	 * How many bytes it has.
	 */
	public int length() {
		return this.length;
	}

	/**
	 * Whether it has none.
	 */
	public boolean isEmpty() {
		return this.length == 0;
	}

	/**
	 * Writes it, piece by piece.
	 * @param target where to
	 * @throws IOException if that fails
	 */
	public void writeTo(OutputStream target) throws IOException {
		int from = this.start;
		int left = this.length;
		for (int i = 0; left > 0; i++) {
			int count = Math.min(left, this.pieces[i].length - from);
			target.write(this.pieces[i], from, count);
			left -= count;
			from = 0;
		}
	}

	/**
	 * All of it in one array.
	 * @return a copy
	 */
	public byte[] toBytes() {
		byte[] bytes = new byte[this.length];
		copyTo(bytes, 0);
		return bytes;
	}

	void copyTo(byte[] target, int place) {
		int from = this.start;
		int at = place;
		for (int i = 0; at < place + this.length; i++) {
			int count = Math.min(place + this.length - at, this.pieces[i].length - from);
			System.arraycopy(this.pieces[i], from, target, at, count);
			at += count;
			from = 0;
		}
	}

	void updateTo(Checksum checksum) {
		int from = this.start;
		int left = this.length;
		for (int i = 0; left > 0; i++) {
			int count = Math.min(left, this.pieces[i].length - from);
			checksum.update(this.pieces[i], from, count);
			left -= count;
			from = 0;
		}
	}

	/**
	 * Arrays that have the body and nothing else. Only of one that is longer is something
	 * copied.
	 */
	byte[][] toPieces() {
		if (this.start > 0) {
			return new byte[][] { toBytes() };
		}
		int left = this.length;
		int count = 0;
		while (left > 0) {
			left -= this.pieces[count++].length;
		}
		byte[][] exact = Arrays.copyOf(this.pieces, count);
		if (left < 0) {
			byte[] last = exact[count - 1];
			exact[count - 1] = Arrays.copyOf(last, last.length + left);
		}
		return exact;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof AnswerBody that && Arrays.equals(toBytes(), that.toBytes());
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(toBytes());
	}

	/**
	 * Tells the size, never the content.
	 */
	@Override
	public String toString() {
		return "%d bytes".formatted(this.length);
	}

}
