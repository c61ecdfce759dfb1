package dev.idempotency.web;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A response of the container's that threads of a handler can reach as long as it is
 * tethered. After that they have an {@link EndedResponse}, which nobody else has.
 */
final class TetheredResponse extends HttpServletResponseWrapper {

	private final Tether tether;

	private volatile EndedResponse ended = new EndedResponse();

	private @Nullable ServletOutputStream stream;

	private @Nullable PrintWriter writer;

	TetheredResponse(HttpServletResponse response, Tether tether) {
		super(response);
		this.tether = tether;
	}

	/**
	 * Keeps the head of the answer as it is now, for who needs it after the end.
	 */
	void keepHead() {
		this.ended = new EndedResponse((HttpServletResponse) getResponse());
	}

	private <T extends @Nullable Object> T ask(Function<HttpServletResponse, T> question) {
		if (!this.tether.enter()) {
			return question.apply(this.ended);
		}
		try {
			return question.apply((HttpServletResponse) getResponse());
		}
		finally {
			this.tether.exit();
		}
	}

	private void act(Consumer<HttpServletResponse> action) {
		ask((response) -> {
			action.accept(response);
			return response;
		});
	}

	private void send(Sending sending) throws IOException {
		if (!this.tether.enter()) {
			sending.to(this.ended);
			return;
		}
		try {
			sending.to((HttpServletResponse) getResponse());
		}
		finally {
			this.tether.exit();
		}
	}

	@Override
	public ServletOutputStream getOutputStream() throws IOException {
		if (this.stream == null) {
			send((response) -> this.stream = new TetheredStream(response.getOutputStream()));
		}
		return Objects.requireNonNull(this.stream);
	}

	@Override
	public PrintWriter getWriter() throws IOException {
		if (this.writer == null) {
			send((response) -> this.writer = new PrintWriter(new TetheredWriter(response.getWriter())));
		}
		return Objects.requireNonNull(this.writer);
	}

	@Override
	public void flushBuffer() throws IOException {
		send(HttpServletResponse::flushBuffer);
	}

	@Override
	public void sendError(int status) throws IOException {
		send((response) -> response.sendError(status));
	}

	@Override
	public void sendError(int status, String message) throws IOException {
		send((response) -> response.sendError(status, message));
	}

	@Override
	public void sendRedirect(String location) throws IOException {
		send((response) -> response.sendRedirect(location));
	}

	@Override
	public void sendRedirect(String location, boolean clearBuffer) throws IOException {
		send((response) -> response.sendRedirect(location, clearBuffer));
	}

	@Override
	public void sendRedirect(String location, int status) throws IOException {
		send((response) -> response.sendRedirect(location, status));
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
		send((response) -> response.sendRedirect(location, status, clearBuffer));
	}

	@Override
	public void reset() {
		act(HttpServletResponse::reset);
	}

	@Override
	public void resetBuffer() {
		act(HttpServletResponse::resetBuffer);
	}

	@Override
	public boolean isCommitted() {
		return ask(HttpServletResponse::isCommitted);
	}

	@Override
	public void setBufferSize(int size) {
		act((response) -> response.setBufferSize(size));
	}

	@Override
	public int getBufferSize() {
		return ask(HttpServletResponse::getBufferSize);
	}

	@Override
	public void setStatus(int status) {
		act((response) -> response.setStatus(status));
	}

	@Override
	public int getStatus() {
		return ask(HttpServletResponse::getStatus);
	}

	@Override
	public void setContentLength(int length) {
		act((response) -> response.setContentLength(length));
	}

	@Override
	public void setContentLengthLong(long length) {
		act((response) -> response.setContentLengthLong(length));
	}

	@Override
	public void setContentType(@Nullable String type) {
		act((response) -> response.setContentType(type));
	}

	@Override
	public @Nullable String getContentType() {
		return ask(HttpServletResponse::getContentType);
	}

	@Override
	public void setCharacterEncoding(@Nullable String encoding) {
		act((response) -> response.setCharacterEncoding(encoding));
	}

	@Override
	public void setCharacterEncoding(@Nullable Charset encoding) {
		act((response) -> response.setCharacterEncoding(encoding));
	}

	@Override
	public String getCharacterEncoding() {
		return ask(HttpServletResponse::getCharacterEncoding);
	}

	@Override
	public void setLocale(Locale locale) {
		act((response) -> response.setLocale(locale));
	}

	@Override
	public Locale getLocale() {
		return ask(HttpServletResponse::getLocale);
	}

	@Override
	public void addCookie(Cookie cookie) {
		act((response) -> response.addCookie(cookie));
	}

	@Override
	public String encodeURL(String url) {
		return ask((response) -> response.encodeURL(url));
	}

	@Override
	public String encodeRedirectURL(String url) {
		return ask((response) -> response.encodeRedirectURL(url));
	}

	@Override
	public boolean containsHeader(String name) {
		return ask((response) -> response.containsHeader(name));
	}

	@Override
	public @Nullable String getHeader(String name) {
		return ask((response) -> response.getHeader(name));
	}

	@Override
	public Collection<String> getHeaders(String name) {
		return ask((response) -> response.getHeaders(name));
	}

	@Override
	public Collection<String> getHeaderNames() {
		return ask(HttpServletResponse::getHeaderNames);
	}

	@Override
	public void setHeader(String name, @Nullable String value) {
		act((response) -> response.setHeader(name, value));
	}

	@Override
	public void addHeader(String name, @Nullable String value) {
		act((response) -> response.addHeader(name, value));
	}

	@Override
	public void setIntHeader(String name, int value) {
		act((response) -> response.setIntHeader(name, value));
	}

	@Override
	public void addIntHeader(String name, int value) {
		act((response) -> response.addIntHeader(name, value));
	}

	@Override
	public void setDateHeader(String name, long date) {
		act((response) -> response.setDateHeader(name, date));
	}

	@Override
	public void addDateHeader(String name, long date) {
		act((response) -> response.addDateHeader(name, date));
	}

	@Override
	public void setTrailerFields(Supplier<Map<String, String>> fields) {
		act((response) -> response.setTrailerFields(fields));
	}

	@Override
	public @Nullable Supplier<Map<String, String>> getTrailerFields() {
		return ask(HttpServletResponse::getTrailerFields);
	}

	/**
	 * Something that may reach the client at once.
	 */
	@FunctionalInterface
	private interface Sending {

		void to(HttpServletResponse response) throws IOException;

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
			return ask((response) -> this.delegate.isReady());
		}

		@Override
		public void setWriteListener(WriteListener listener) {
			act((response) -> this.delegate.setWriteListener(listener));
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
