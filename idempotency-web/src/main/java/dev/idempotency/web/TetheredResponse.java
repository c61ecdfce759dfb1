package dev.idempotency.web;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A response of the container that the threads of a handler can reach while it is
 * tethered. After that they reach an {@link EndedResponse} of their own.
 * <p>
 * All methods go through a proxy that respects the tether. Code that unwraps the response
 * still finds the container's.
 */
final class TetheredResponse extends HttpServletResponseWrapper {

	private final HttpServletResponse container;

	private final Tether tether;

	private volatile EndedResponse ended = new EndedResponse();

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	TetheredResponse(HttpServletResponse container, Tether tether) {
		super(container);
		this.container = container;
		this.tether = tether;
		setResponse((ServletResponse) Proxy.newProxyInstance(TetheredResponse.class.getClassLoader(),
				new Class<?>[] { HttpServletResponse.class }, (proxy, method, arguments) -> passOn(method, arguments)));
	}

	/**
	 * Keeps the current head of the response for the time after the end of the request.
	 */
	void keepHead() {
		this.ended = new EndedResponse(this.container);
	}

	private @Nullable Object passOn(Method method, Object @Nullable [] arguments) throws Throwable {
		boolean tied = this.tether.enter();
		try {
			return method.invoke(tied ? this.container : this.ended, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
		finally {
			if (tied) {
				this.tether.exit();
			}
		}
	}

	@Override
	public ServletResponse getResponse() {
		return this.container;
	}

	@Override
	public boolean isWrapperFor(ServletResponse wrapped) {
		return new ServletResponseWrapper(this.container).isWrapperFor(wrapped);
	}

	@Override
	public boolean isWrapperFor(Class<?> type) {
		return new ServletResponseWrapper(this.container).isWrapperFor(type);
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		if (this.stream == null) {
			this.stream = new TetheredStream(super.getOutputStream());
		}
		return this.stream;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (this.writer == null) {
			this.writer = new PrintWriter(new TetheredWriter(super.getWriter()));
		}
		return this.writer;
	}

	/**
	 * A write to the container's response.
	 */
	@FunctionalInterface
	private interface Writing {

		void write() throws IOException;

	}

	private void write(Writing writing) throws IOException {
		if (!this.tether.enter()) {
			throw EndedResponse.nobodyReads();
		}
		try {
			writing.write();
		}
		finally {
			this.tether.exit();
		}
	}

	/**
	 * The tethered stream for bytes.
	 */
	private final class TetheredStream extends ServletOutputStream {

		private final ServletOutputStream delegate;

		private TetheredStream(ServletOutputStream delegate) {
			this.delegate = delegate;
		}

		@Override
		public void write(int b) throws IOException {
			TetheredResponse.this.write(() -> this.delegate.write(b));
		}

		@Override
		public void write(byte[] source, int offset, int length) throws IOException {
			TetheredResponse.this.write(() -> this.delegate.write(source, offset, length));
		}

		@Override
		public void flush() throws IOException {
			TetheredResponse.this.write(this.delegate::flush);
		}

		@Override
		public void close() throws IOException {
			TetheredResponse.this.write(this.delegate::close);
		}

		@Override
		public boolean isReady() {
			boolean tied = TetheredResponse.this.tether.enter();
			try {
				// After the end, a write fails at once
				return !tied || this.delegate.isReady();
			}
			finally {
				if (tied) {
					TetheredResponse.this.tether.exit();
				}
			}
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			try {
				TetheredResponse.this.write(() -> this.delegate.setWriteListener(listener));
			}
			catch (IOException ex) {
				listener.onError(ex);
			}
		}

	}

	/**
	 * The tethered writer for text.
	 */
	private final class TetheredWriter extends Writer {

		private final PrintWriter delegate;

		private TetheredWriter(PrintWriter delegate) {
			this.delegate = delegate;
		}

		@Override
		public void write(char[] source, int offset, int length) throws IOException {
			TetheredResponse.this.write(() -> this.delegate.write(source, offset, length));
		}

		@Override
		public void flush() throws IOException {
			TetheredResponse.this.write(this.delegate::flush);
		}

		@Override
		public void close() throws IOException {
			TetheredResponse.this.write(this.delegate::close);
		}

	}

}
