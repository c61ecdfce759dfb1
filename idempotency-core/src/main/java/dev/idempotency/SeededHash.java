package dev.idempotency;

import java.security.SecureRandom;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * Hash codes of texts that clients choose. {@link String#hashCode()} is predictable: a
 * client that sends colliding keys degrades each map they are in to a list. These depend
 * on secret numbers of this process.
 * <p>
 * The text is the coefficients of a polynomial, and its hash the value at a secret point,
 * modulo a prime of 61 bits: two texts collide at fewer points than they have characters.
 * It takes no memory, and a fraction of the time of a digest.
 */
final class SeededHash {

	private static final SeededHash OF_THIS_PROCESS = new SeededHash(new SecureRandom());

	private static final long PRIME = (1L << 61) - 1;

	/**
	 * Three characters are one coefficient, which has to be smaller than the prime.
	 */
	private static final long HIGH = 1L << 32;

	private static final long MIDDLE = 1L << 16;

	private final long point;

	private final long factor;

	SeededHash(Random random) {
		this.point = random.nextLong(1L << 32, PRIME);
		this.factor = random.nextLong() | 1;
	}

	static SeededHash ofThisProcess() {
		return OF_THIS_PROCESS;
	}

	/**
	 * Adds a text to a hash, which is zero before the first one.
	 * @return the new hash, to be {@linkplain #finish finished} before it is used
	 */
	long add(long hash, @Nullable String text) {
		if (text == null) {
			return next(hash, 1);
		}
		int length = text.length();
		// Tells absent from empty, and the end of one text from the start of the next
		long sum = next(hash, length + 2L);
		int at = 0;
		for (; at + 3 <= length; at += 3) {
			sum = next(sum, text.charAt(at) * HIGH + text.charAt(at + 1) * MIDDLE + text.charAt(at + 2));
		}
		if (at < length) {
			sum = next(sum, (at + 1 < length) ? text.charAt(at) * MIDDLE + text.charAt(at + 1) : text.charAt(at));
		}
		return sum;
	}

	private long next(long sum, long coefficient) {
		long high = Math.multiplyHigh(sum, this.point);
		long low = sum * this.point;
		// Modulo 2^61 - 1: the bits above the 61st are added to those below
		long folded = (low & PRIME) + ((low >>> 61) | (high << 3)) + coefficient;
		folded = (folded & PRIME) + (folded >>> 61);
		return (folded >= PRIME) ? folded - PRIME : folded;
	}

	/**
	 * Turns a hash into a hash code.
	 */
	int finish(long hash) {
		return (int) ((hash * this.factor) >>> Integer.SIZE);
	}

}
