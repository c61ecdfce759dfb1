package dev.idempotency.web;

import java.io.IOException;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;

/**
 * The body of a response that is not sent. It discards what is written.
 */
final class DroppedBody extends ServletOutputStream {

	@Override
	public void write(int b) {
	}

	@Override
	public void write(byte[] source, int offset, int length) {
	}

	@Override
	public boolean isReady() {
		return true;
	}

	@Override
	public void setWriteListener(WriteListener listener) {
		try {
			listener.onWritePossible();
		}
		catch (IOException ex) {
			listener.onError(ex);
		}
	}

}
