package dev.idempotency.json;

/**
 * The text that all numbers of one value share, however they are written: the sign, the
 * significant digits without zeros around them, and {@code e} with the exponent unless
 * that is zero. {@code 100} is {@code 1e2}, {@code 12.50} is {@code 125e-1}, and
 * {@code -0.0} is {@code 0}.
 * <p>
 * Nothing is calculated but the exponent: numbers come from outside, and can have a
 * million digits. One whose exponent has more than 18 counts as it is written.
 */
final class CanonicalNumber {

	/**
	 * By how many characters it can be longer than what it is made of.
	 */
	static final int GROWTH = "e-1000000000000000000".length();

	/**
	 * With so many, the exponent stays in a {@code long} wherever the point was.
	 */
	private static final int MOST_EXPONENT_DIGITS = 18;

	private CanonicalNumber() {
	}

	/**
	 * Writes a number, which may be behind itself in the same array.
	 * @param text holds a number as JSON has it
	 * @param from where it begins
	 * @param to where it ends
	 * @param out has as much room as the number, and {@link #GROWTH} more
	 * @param at where to write
	 * @return where what was written ends
	 */
	static int write(byte[] text, int from, int to, byte[] out, int at) {
		boolean negative = text[from] == '-';
		int first = -1;
		int last = -1;
		int point = -1;
		int end = negative ? from + 1 : from;
		for (; end < to && text[end] != 'e' && text[end] != 'E'; end++) {
			if (text[end] == '.') {
				point = end;
			}
			else if (text[end] != '0') {
				first = (first < 0) ? end : first;
				last = end;
			}
		}
		if (first < 0) {
			out[at] = '0';
			return at + 1;
		}
		int start = end + 1;
		boolean smaller = start < to && text[start] == '-';
		while (start < to && (text[start] == '-' || text[start] == '+' || text[start] == '0')) {
			start++;
		}
		if (to - start > MOST_EXPONENT_DIGITS) {
			System.arraycopy(text, from, out, at, to - from);
			return at + to - from;
		}
		long exponent = 0;
		for (int i = start; i < to; i++) {
			exponent = 10 * exponent + text[i] - '0';
		}
		exponent = smaller ? -exponent : exponent;
		exponent += (point < 0) ? end - 1 - last : (last < point) ? point - 1 - last : point - last;
		int size = at;
		if (negative) {
			out[size++] = '-';
		}
		for (int i = first; i <= last; i++) {
			if (text[i] != '.') {
				out[size++] = text[i];
			}
		}
		return (exponent != 0) ? writeExponent(exponent, out, size) : size;
	}

	private static int writeExponent(long exponent, byte[] out, int at) {
		int size = at;
		out[size++] = 'e';
		if (exponent < 0) {
			out[size++] = '-';
		}
		long rest = Math.abs(exponent);
		int digits = 1;
		for (long more = rest / 10; more > 0; more /= 10) {
			digits++;
		}
		for (int i = size + digits - 1; i >= size; i--) {
			out[i] = (byte) ('0' + rest % 10);
			rest /= 10;
		}
		return size + digits;
	}

}
