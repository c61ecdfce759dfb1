package dev.idempotency.http;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.Checksum;

import org.jspecify.annotations.Nullable;

/**
 * The body of a response, in one array or several. The arrays are not copied, since they
 * may be large, and must not be changed.
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
	 */
	public static AnswerBody of(byte[] bytes) {
		return of(bytes, 0, bytes.length);
	}

	/**
	 * A body that is a part of an array.
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
		int count;
		for (int i = 0, done = 0; done < this.length; i++, done += count) {
			count = countOf(i, done);
			target.write(this.pieces[i], startOf(i), count);
		}
	}

	/**
	 * All of it in one array.
	 */
	public byte[] toBytes() {
		byte[] bytes = new byte[this.length];
		copyTo(bytes, 0);
		return bytes;
	}

	void copyTo(byte[] target, int place) {
		int count;
		for (int i = 0, done = 0; done < this.length; i++, done += count) {
			count = countOf(i, done);
			System.arraycopy(this.pieces[i], startOf(i), target, place + done, count);
		}
	}

	void updateTo(Checksum checksum) {
		int count;
		for (int i = 0, done = 0; done < this.length; i++, done += count) {
			count = countOf(i, done);
			checksum.update(this.pieces[i], startOf(i), count);
		}
	}

	/**
	 * Where in a piece the body begins or continues.
	 */
	private int startOf(int piece) {
		return (piece == 0) ? this.start : 0;
	}

	/**
	 * How many bytes of a piece belong to the body, after {@code done} in the pieces
	 * before.
	 */
	private int countOf(int piece, int done) {
		return Math.min(this.length - done, this.pieces[piece].length - startOf(piece));
	}

	/**
	 * Arrays that hold the body and nothing else. Only an array that holds more is
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
