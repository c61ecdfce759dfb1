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

	private @Nullable ReadListener listener;

	private boolean listening;

	/**
	 * Create a body.
	 * @param bytes what was read
	 * @param rest the rest of the body, or {@code null} if all of it was read
	 */
	BufferedBody(byte[] bytes, @Nullable InputStream rest) {
		this.bytes = bytes;
		this.rest = rest;
	}

	/**
	 * Whether the whole body was read ahead.
	 */
	boolean isComplete() {
		return this.rest == null;
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
		tellWhenAllIsRead();
		return result;
	}

	@Override
	public int available() throws IOException {
		int left = this.bytes.length - this.position;
		return (left > 0 || this.rest == null) ? left : this.rest.available();
	}

	@Override
	public boolean isFinished() {
		tellWhenAllIsRead();
		return isAtEnd();
	}

	private boolean isAtEnd() {
		return this.finished || (this.rest == null && this.position == this.bytes.length);
	}

	@Override
	public boolean isReady() {
		tellWhenAllIsRead();
		return true;
	}

	/**
	 * The body is always ready. The listener is therefore called at once, and not again
	 * before the end.
	 */
	@Override
	public void setReadListener(ReadListener listener) {
		synchronized (this) {
			if (this.listening) {
				throw new IllegalStateException("There is a ReadListener already");
			}
			this.listening = true;
		}
		if (!isAtEnd() && !call(listener, listener::onDataAvailable)) {
			return;
		}
		synchronized (this) {
			this.listener = listener;
		}
		tellWhenAllIsRead();
	}

	/**
	 * The listener may return before all is read, and continue on another thread.
	 */
	private void tellWhenAllIsRead() {
		if (this.listening) {
			ReadListener told = takeListenerAtEnd();
			if (told != null) {
				call(told, told::onAllDataRead);
			}
		}
	}

	private synchronized @Nullable ReadListener takeListenerAtEnd() {
		ReadListener taken = isAtEnd() ? this.listener : null;
		if (taken != null) {
			this.listener = null;
		}
		return taken;
	}

	/**
	 * Calls a listener, and tells it if that fails.
	 * @return whether it did not
	 */
	private static boolean call(ReadListener listener, IOAction callback) {
		try {
			callback.run();
			return true;
		}
		catch (IOException | RuntimeException ex) {
			listener.onError(ex);
			return false;
		}
	}

}
