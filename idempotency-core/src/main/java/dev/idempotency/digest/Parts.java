package dev.idempotency.digest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over several parts. Each goes in with its length before it, in four bytes, and
 * one that is absent as the length -1: no two lists of parts meet by the way they are
 * cut, and absent is not empty. Texts are UTF-8.
 * <p>
 * These digests are stored: a change of the format makes every retry that is under way
 * look like something else.
 */
public final class Parts {

	private static final int ABSENT = -1;

	/**
	 * Enough for the head of most requests.
	 */
	private static final int ROOM = 128;

	/**
	 * Taken when it is first needed, and given back when all is in it.
	 */
	private @Nullable MessageDigest digest;

	/**
	 * What goes into the digest, gathered first: many short updates cost more than the
	 * digest does.
	 */
	private final byte[] gathered;

	private int size;

	private boolean begun;

	/**
	 * Begins without any part.
	 */
	public Parts() {
		this(ROOM);
	}

	/**
	 * Begins without any part.
	 * @param length how long the parts are, as far as it is known
	 */
	public Parts(int length) {
		this.gathered = new byte[Math.max(length, Sha256.BYTES)];
	}

	/**
	 * How much room a text takes, if it is ASCII.
	 * @param text the text
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
	 * A digest for something else, which must be over before more is added here.
	 * @return a digest with nothing in it
	 */
	public MessageDigest unusedDigest() {
		return this.begun ? Sha256.newDigest() : sha256();
	}

	/**
	 * The digest of all parts, after which there are none.
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
	 * Puts a text whose characters are its bytes, as most are, without a copy.
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
	 * Makes as much room as is asked for, or all there is.
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
