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
 * A response of the container's that threads of a handler can reach as long as it is
 * tethered. After that they have an {@link EndedResponse}, which nobody else has.
 * <p>
 * What a wrapper passes on goes to a proxy, through which all methods take the one way
 * that minds the tether. Those who unwrap responses find the container's all the same.
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
	 * Keeps the head of the answer as it is now, for who needs it after the end.
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
	 * Something that is written.
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
	 * The way to the client, for bytes.
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
				// Whoever writes after the end is told so at once
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
	 * The way to the client, for text.
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
