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
 * The container's response, for threads of a handler, until its {@link Outlet} is closed.
 * After that they reach an {@link EndedResponse} of their own.
 * <p>
 * All methods go through a proxy that respects the outlet. Code that unwraps the response
 * still finds the container's.
 */
final class OutletResponse extends HttpServletResponseWrapper {

	private final HttpServletResponse container;

	private final Outlet outlet = new Outlet(this::keepHead);

	private volatile EndedResponse ended = new EndedResponse();

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	OutletResponse(HttpServletResponse container) {
		super(container);
		this.container = container;
		setResponse((ServletResponse) Proxy.newProxyInstance(OutletResponse.class.getClassLoader(),
				new Class<?>[] { HttpServletResponse.class }, (proxy, method, arguments) -> passOn(method, arguments)));
	}

	Outlet outlet() {
		return this.outlet;
	}

	/**
	 * Keeps the head of the response for the time after the end of the request.
	 */
	private void keepHead() {
		this.ended = new EndedResponse(this.container);
	}

	private @Nullable Object passOn(Method method, Object @Nullable [] arguments) throws Throwable {
		boolean open = this.outlet.enter();
		try {
			return method.invoke(open ? this.container : this.ended, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
		finally {
			if (open) {
				this.outlet.exit();
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
			this.stream = new OutletStream(super.getOutputStream());
		}
		return this.stream;
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (this.writer == null) {
			this.writer = new PrintWriter(new OutletWriter(super.getWriter()));
		}
		return this.writer;
	}

	private void write(IOAction writing) throws IOException {
		if (!this.outlet.enter()) {
			throw EndedResponse.nobodyReads();
		}
		try {
			writing.run();
		}
		finally {
			this.outlet.exit();
		}
	}

	/**
	 * The tethered stream for bytes.
	 */
	private final class OutletStream extends ServletOutputStream {

		private final ServletOutputStream delegate;

		private OutletStream(ServletOutputStream delegate) {
			this.delegate = delegate;
		}

		@Override
		public void write(int b) throws IOException {
			OutletResponse.this.write(() -> this.delegate.write(b));
		}

		@Override
		public void write(byte[] source, int offset, int length) throws IOException {
			OutletResponse.this.write(() -> this.delegate.write(source, offset, length));
		}

		@Override
		public void flush() throws IOException {
			OutletResponse.this.write(this.delegate::flush);
		}

		@Override
		public void close() throws IOException {
			OutletResponse.this.write(this.delegate::close);
		}

		@Override
		public boolean isReady() {
			boolean open = OutletResponse.this.outlet.enter();
			try {
				// After the end, a write fails at once
				return !open || this.delegate.isReady();
			}
			finally {
				if (open) {
					OutletResponse.this.outlet.exit();
				}
			}
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			try {
				OutletResponse.this.write(() -> this.delegate.setWriteListener(listener));
			}
			catch (IOException ex) {
				listener.onError(ex);
			}
		}

	}

	/**
	 * The tethered writer for text.
	 */
	private final class OutletWriter extends Writer {

		private final PrintWriter delegate;

		private OutletWriter(PrintWriter delegate) {
			this.delegate = delegate;
		}

		@Override
		public void write(char[] source, int offset, int length) throws IOException {
			OutletResponse.this.write(() -> this.delegate.write(source, offset, length));
		}

		@Override
		public void flush() throws IOException {
			OutletResponse.this.write(this.delegate::flush);
		}

		@Override
		public void close() throws IOException {
			OutletResponse.this.write(this.delegate::close);
		}

	}

}
