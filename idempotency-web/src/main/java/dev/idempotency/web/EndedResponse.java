package dev.idempotency.web;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A response that its container has finished, for a handler that continues without its
 * client. It keeps the head of the response for the retry, and sends nothing. The
 * {@link TetheredResponse} in front of it refuses to write a body.
 */
final class EndedResponse implements HttpServletResponse {

	/**
	 * A response that its handler has finished, too. Every call fails.
	 */
	static final HttpServletResponse FORGOTTEN = (HttpServletResponse) Proxy.newProxyInstance(
			EndedResponse.class.getClassLoader(), new Class<?>[] { HttpServletResponse.class },
			(proxy, method, arguments) -> {
				throw new IllegalStateException("The request has ended, and the container may reuse its response");
			});

	private static final Pattern CHARSET = Pattern.compile(";\\s*charset=\"?([^\";\\s]+)\"?", Pattern.CASE_INSENSITIVE);

	private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

	private final boolean committed;

	private int status = SC_OK;

	private @Nullable String contentType;

	private String characterEncoding = StandardCharsets.ISO_8859_1.name();

	private Locale locale = Locale.getDefault();

	EndedResponse() {
		this.committed = false;
	}

	/**
	 * Continues from the current head of a response.
	 */
	EndedResponse(HttpServletResponse response) {
		this.committed = response.isCommitted();
		this.status = response.getStatus();
		this.contentType = response.getContentType();
		this.characterEncoding = response.getCharacterEncoding();
		this.locale = response.getLocale();
		for (String name : response.getHeaderNames()) {
			this.headers.put(name, new ArrayList<>(response.getHeaders(name)));
		}
	}

	static IOException nobodyReads() {
		return new IOException("The request has ended, and no client reads its response");
	}

	@Override
	public synchronized int getStatus() {
		return this.status;
	}

	@Override
	public synchronized void setStatus(int status) {
		this.status = status;
	}

	@Override
	public void sendError(int status) {
		setStatus(status);
	}

	@Override
	public void sendError(int status, @Nullable String message) {
		setStatus(status);
	}

	@Override
	public void sendRedirect(String location, int status, boolean clearBuffer) {
		setStatus(status);
		setHeader(HttpHeaders.LOCATION, location);
	}

	@Override
	public synchronized @Nullable String getContentType() {
		return this.contentType;
	}

	@Override
	public synchronized void setContentType(@Nullable String type) {
		this.contentType = type;
		Matcher charset = CHARSET.matcher((type != null) ? type : "");
		if (charset.find()) {
			this.characterEncoding = charset.group(1);
		}
	}

	@Override
	public synchronized String getCharacterEncoding() {
		return this.characterEncoding;
	}

	@Override
	public synchronized void setCharacterEncoding(@Nullable String encoding) {
		this.characterEncoding = (encoding != null) ? encoding : StandardCharsets.ISO_8859_1.name();
		if (this.contentType != null) {
			String type = CHARSET.matcher(this.contentType).replaceAll("");
			this.contentType = (encoding != null) ? type + ";charset=" + encoding : type;
		}
	}

	@Override
	public synchronized Locale getLocale() {
		return this.locale;
	}

	@Override
	public synchronized void setLocale(Locale locale) {
		this.locale = locale;
	}

	@Override
	public synchronized void setHeader(String name, @Nullable String value) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			setContentType(value);
		}
		else if (value == null) {
			this.headers.remove(name);
		}
		else {
			this.headers.put(name, new ArrayList<>(List.of(value)));
		}
	}

	@Override
	public synchronized void addHeader(String name, @Nullable String value) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			setContentType(value);
		}
		else if (value != null) {
			this.headers.computeIfAbsent(name, (it) -> new ArrayList<>()).add(value);
		}
	}

	@Override
	public void setIntHeader(String name, int value) {
		setHeader(name, String.valueOf(value));
	}

	@Override
	public void addIntHeader(String name, int value) {
		addHeader(name, String.valueOf(value));
	}

	@Override
	public void setDateHeader(String name, long date) {
		setHeader(name, formatted(date));
	}

	@Override
	public void addDateHeader(String name, long date) {
		addHeader(name, formatted(date));
	}

	private static @Nullable String formatted(long date) {
		HttpHeaders formatter = new HttpHeaders();
		formatter.setDate(HttpHeaders.DATE, date);
		return formatter.getFirst(HttpHeaders.DATE);
	}

	@Override
	public synchronized boolean containsHeader(String name) {
		return this.headers.containsKey(name);
	}

	@Override
	public synchronized @Nullable String getHeader(String name) {
		List<String> values = this.headers.get(name);
		return (values != null) ? values.get(0) : null;
	}

	@Override
	public synchronized Collection<String> getHeaders(String name) {
		return List.copyOf(this.headers.getOrDefault(name, List.of()));
	}

	@Override
	public synchronized Collection<String> getHeaderNames() {
		return List.copyOf(this.headers.keySet());
	}

	/**
	 * A cookie is for the client that has disconnected, and is not replayed.
	 */
	@Override
	public void addCookie(Cookie cookie) {
	}

	@Override
	public String encodeURL(String url) {
		return url;
	}

	@Override
	public String encodeRedirectURL(String url) {
		return url;
	}

	@Override
	public boolean isCommitted() {
		return this.committed;
	}

	@Override
	public synchronized void reset() {
		this.status = SC_OK;
		this.contentType = null;
		this.headers.clear();
	}

	@Override
	public void resetBuffer() {
	}

	@Override
	public void flushBuffer() throws IOException {
		throw nobodyReads();
	}

	@Override
	public int getBufferSize() {
		return 0;
	}

	@Override
	public void setBufferSize(int size) {
	}

	@Override
	public void setContentLength(int length) {
	}

	@Override
	public void setContentLengthLong(long length) {
	}

	@Override
	public ServletOutputStream getOutputStream() {
		return new DroppedBody();
	}

	@Override
	public PrintWriter getWriter() {
		return new PrintWriter(Writer.nullWriter());
	}

}
