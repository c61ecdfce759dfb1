package dev.idempotency.json;

/**
 * The canonical text of a number, however it is written: the sign, the significant digits
 * without leading and trailing zeros, and {@code e} with the exponent unless that is
 * zero. {@code 100} is {@code 1e2}, {@code 12.50} is {@code 125e-1}, and {@code -0.0} is
 * {@code 0}.
 * <p>
 * Only the exponent is calculated, because a number in a request can have a million
 * digits. A number whose exponent has more than 18 digits stays as it is written.
 */
final class CanonicalNumber {

	/**
	 * How many characters longer than its source it can be.
	 */
	static final int GROWTH = "e-1000000000000000000".length();

	/**
	 * With so many digits, the exponent fits into a {@code long}, wherever the point is.
	 */
	private static final int MOST_EXPONENT_DIGITS = 18;

	private CanonicalNumber() {
	}

	/**
	 * Writes a number. The output may follow the source in the same array.
	 * @param text contains a JSON number
	 * @param from where it begins
	 * @param to where it ends
	 * @param out has as much room as the number, and {@link #GROWTH} more
	 * @param at where to write
	 * @return where the output ends
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
