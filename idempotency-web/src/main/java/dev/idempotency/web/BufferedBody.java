package dev.idempotency.web;

import java.io.IOException;
import java.io.InputStream;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A request body that was read ahead of the handler, and is given to it.
 */
final class BufferedBody extends ServletInputStream {

	private final byte[] bytes;

	private final @Nullable InputStream rest;

	private int position;

	private boolean finished;

	/**
	 * Create a body.
	 * @param bytes what was read
	 * @param rest the rest of the body, or {@code null} if all of it was read
	 */
	BufferedBody(byte[] bytes, @Nullable InputStream rest) {
		this.bytes = bytes;
		this.rest = rest;
	}

	@Override
	public int read() throws IOException {
		if (this.position < this.bytes.length) {
			return this.bytes[this.position++] & 0xff;
		}
		return ended((this.rest != null) ? this.rest.read() : -1);
	}

	@Override
	public int read(byte[] target, int offset, int length) throws IOException {
		if (length == 0) {
			return 0;
		}
		int left = this.bytes.length - this.position;
		if (left > 0) {
			int count = Math.min(left, length);
			System.arraycopy(this.bytes, this.position, target, offset, count);
			this.position += count;
			return count;
		}
		return ended((this.rest != null) ? this.rest.read(target, offset, length) : -1);
	}

	private int ended(int result) {
		this.finished |= result < 0;
		return result;
	}

	@Override
	public int available() throws IOException {
		int left = this.bytes.length - this.position;
		return (left > 0 || this.rest == null) ? left : this.rest.available();
	}

	@Override
	public boolean isFinished() {
		return this.finished || (this.rest == null && this.position == this.bytes.length);
	}

	@Override
	public boolean isReady() {
		return true;
	}

	@Override
	public void setReadListener(ReadListener listener) {
		// Always ready, so the listener is called at once
		try {
			listener.onDataAvailable();
			listener.onAllDataRead();
		}
		catch (IOException ex) {
			listener.onError(ex);
		}
	}

}
