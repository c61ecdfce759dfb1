package dev.idempotency.sample.webhooks;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/**
 * A request whose body was read already and can be read again.
 */
final class KeptBody extends HttpServletRequestWrapper {

	private final byte[] body;

	KeptBody(HttpServletRequest request, byte[] body) {
		super(request);
		this.body = body;
	}

	@Override
	public ServletInputStream getInputStream() {
		return new Bytes(this.body);
	}

	@Override
	public BufferedReader getReader() {
		return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
	}

	private static final class Bytes extends ServletInputStream {

		private final ByteArrayInputStream bytes;

		private Bytes(byte[] body) {
			this.bytes = new ByteArrayInputStream(body);
		}

		@Override
		public int read() {
			return this.bytes.read();
		}

		@Override
		public int read(byte[] target, int offset, int length) {
			return this.bytes.read(target, offset, length);
		}

		@Override
		public boolean isFinished() {
			return this.bytes.available() == 0;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new UnsupportedOperationException("The body is read at once");
		}

	}

}
