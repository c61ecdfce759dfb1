package dev.idempotency;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hash codes that nobody outside of the process can foresee.
 */
class SeededHashTests {

	private static final BigInteger PRIME = BigInteger.TWO.pow(61).subtract(BigInteger.ONE);

	private final Random random = new Random(42);

	@Test
	void differsFromOneProcessToTheNext() {
		List<Integer> codes = new ArrayList<>();
		for (int process = 0; process < 100; process++) {
			SeededHash hash = new SeededHash(this.random);
			codes.add(hash.finish(hash.add(0, "key")));
		}
		assertThat(codes).doesNotHaveDuplicates();
	}

	@Test
	void isTheValueOfAPolynomial() {
		// The first two numbers that it draws
		long seed = this.random.nextLong();
		BigInteger point = BigInteger.valueOf(new Random(seed).nextLong(1L << 32, PRIME.longValue()));
		SeededHash hash = new SeededHash(new Random(seed));
		for (String text : Arrays.asList(null, "", "a", "abc", "abcd", "\uffff\uffff\uffff\uffff", "x".repeat(1000))) {
			long given = this.random.nextLong(PRIME.longValue());
			BigInteger expected = BigInteger.valueOf(given);
			for (long coefficient : coefficients(text)) {
				expected = expected.multiply(point).add(BigInteger.valueOf(coefficient)).mod(PRIME);
			}
			assertThat(hash.add(given, text)).isEqualTo(expected.longValue());
		}
	}

	private static List<Long> coefficients(@Nullable String text) {
		List<Long> coefficients = new ArrayList<>();
		coefficients.add((text != null) ? text.length() + 2L : 1L);
		for (int at = 0; text != null && at < text.length(); at += 3) {
			String three = text.substring(at, Math.min(at + 3, text.length()));
			coefficients.add(three.chars().asLongStream().reduce(0, (sum, character) -> (sum << 16) | character));
		}
		return coefficients;
	}

	@Test
	void tellsApartHowPartsAreCut() {
		SeededHash hash = new SeededHash(this.random);
		List<@Nullable String> parts = Arrays.asList(null, "", "a", "ab", "abc", "abcd", "bc", "\u0000",
				"\u0000\u0000");
		List<Long> sums = new ArrayList<>();
		for (String first : parts) {
			for (String second : parts) {
				sums.add(hash.add(hash.add(0, first), second));
			}
		}
		assertThat(sums).doesNotHaveDuplicates();
	}

}
