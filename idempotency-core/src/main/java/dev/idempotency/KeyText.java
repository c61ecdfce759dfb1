package dev.idempotency;

/**
 * Validates the texts that make up a key.
 */
final class KeyText {

	private KeyText() {
	}

	static void requireNotBlank(String name, String text, int maxLength) {
		requireWellFormed(name, text, maxLength);
		if (text.isBlank()) {
			throw new IllegalArgumentException(
					"%s must not be blank: every blank key would be one and the same".formatted(name));
		}
	}

	/**
	 * Unpaired surrogates are refused because UTF-8 turns all of them into the same
	 * question mark: two keys would become one.
	 */
	static void requireWellFormed(String name, String text, int maxLength) {
		if (text == null) {
			throw new NullPointerException(name + " must not be null");
		}
		if (text.length() > maxLength) {
			throw new IllegalArgumentException(
					"%s has %d characters, more than the %d allowed: use a digest of it, such as its SHA-256"
						.formatted(name, text.length(), maxLength));
		}
		for (int i = 0; i < text.length(); i++) {
			if (Character.isSurrogate(text.charAt(i))) {
				// Rare, so a second pass is cheap
				requirePairs(name, text, i);
				return;
			}
		}
	}

	private static void requirePairs(String name, String text, int from) {
		for (int i = from, codePoint; i < text.length(); i += Character.charCount(codePoint)) {
			codePoint = text.codePointAt(i);
			if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
				throw new IllegalArgumentException(
						"%s is not valid Unicode: half of a surrogate pair at index %d".formatted(name, i));
			}
		}
	}

}
