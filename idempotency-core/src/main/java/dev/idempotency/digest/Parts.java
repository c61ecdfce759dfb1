package dev.idempotency.digest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over several parts. Each part is preceded by its length in four bytes, and an
 * absent part is the length -1: no two lists of parts have the same content, and absent
 * is not empty. Texts are UTF-8.
 * <p>
 * These digests are stored: a change of the format makes every pending retry look like a
 * different request.
 */
public final class Parts {

	private static final int ABSENT = -1;

	/**
	 * Enough for the head of most requests.
	 */
	private static final int ROOM = 128;

	/**
	 * Taken on first use, and given back when the digest is complete.
	 */
	private @Nullable MessageDigest digest;

	/**
	 * Buffers what goes into the digest: many short updates cost more than the digest
	 * does.
	 */
	private final byte[] gathered;

	private int size;

	private boolean begun;

	public Parts() {
		this(ROOM);
	}

	/**
	 * Create a digest without parts.
	 * @param length the expected length of the parts
	 */
	public Parts(int length) {
		this.gathered = new byte[Math.max(length, Sha256.BYTES)];
	}

	/**
	 * How many bytes a text takes, if it is ASCII.
	 * @return the number of bytes
	 */
	public static int length(@Nullable String text) {
		return Integer.BYTES + ((text != null) ? text.length() : 0);
	}

	/**
	 * Adds a text.
	 * @param text the text, or {@code null} if it is absent
	 * @return this
	 */
	public Parts add(@Nullable String text) {
		if (text == null) {
			putLength(ABSENT);
		}
		else if (!putAscii(text)) {
			byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
			add(bytes, bytes.length);
		}
		return this;
	}

	/**
	 * Adds bytes.
	 * @param bytes the bytes, or {@code null} if they are absent
	 * @return this
	 */
	public Parts add(byte @Nullable [] bytes) {
		if (bytes == null) {
			putLength(ABSENT);
			return this;
		}
		return add(bytes, bytes.length);
	}

	/**
	 * Adds bytes.
	 * @param bytes holds the bytes
	 * @param length how many of them there are
	 * @return this
	 */
	public Parts add(byte[] bytes, int length) {
		putLength(length);
		makeRoom(length);
		if (length <= this.gathered.length) {
			System.arraycopy(bytes, 0, this.gathered, this.size, length);
			this.size += length;
		}
		else {
			update(bytes, length);
		}
		return this;
	}

	/**
	 * A digest for another purpose, which must be complete before the next part is added
	 * here.
	 * @return a digest with nothing in it
	 */
	public MessageDigest unusedDigest() {
		return this.begun ? Sha256.newDigest() : sha256();
	}

	/**
	 * The digest of all parts. Starts again without parts.
	 * @return 32 bytes
	 */
	public byte[] digest() {
		MessageDigest sha256 = sha256();
		sha256.update(this.gathered, 0, this.size);
		byte[] bytes = sha256.digest();
		this.size = 0;
		this.begun = false;
		this.digest = null;
		Sha256.giveBack(sha256);
		return bytes;
	}

	private MessageDigest sha256() {
		MessageDigest sha256 = this.digest;
		if (sha256 == null) {
			sha256 = Sha256.take();
			this.digest = sha256;
		}
		return sha256;
	}

	/**
	 * Adds an ASCII text without a copy.
	 */
	private boolean putAscii(String text) {
		int length = text.length();
		if (length > this.gathered.length - Integer.BYTES) {
			return false;
		}
		makeRoom(Integer.BYTES + length);
		int start = this.size + Integer.BYTES;
		for (int i = 0; i < length; i++) {
			char character = text.charAt(i);
			if (character > Byte.MAX_VALUE) {
				return false;
			}
			this.gathered[start + i] = (byte) character;
		}
		putLength(length);
		this.size += length;
		return true;
	}

	private void putLength(int length) {
		makeRoom(Integer.BYTES);
		for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
			this.gathered[this.size++] = (byte) (length >> shift);
		}
	}

	/**
	 * Makes the requested room, or empties the buffer if it is too small for that.
	 */
	private void makeRoom(int bytes) {
		if (bytes > this.gathered.length - this.size) {
			update(this.gathered, this.size);
			this.size = 0;
		}
	}

	private void update(byte[] bytes, int length) {
		sha256().update(bytes, 0, length);
		this.begun = true;
	}

}
