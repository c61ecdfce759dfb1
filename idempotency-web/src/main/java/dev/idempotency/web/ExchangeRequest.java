package dev.idempotency.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;

import dev.idempotency.http.FormParameters;
import dev.idempotency.http.RequestContent;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A request that passes everything through until its body is read ahead of the handler.
 * Then the handler gets what was read.
 */
final class ExchangeRequest extends HttpServletRequestWrapper {

	/**
	 * The attribute that holds the owner. Inside the filter the wrapper provides it, so
	 * that requests that are not protected need no attribute.
	 */
	static final String OWNER = ExchangeRequest.class.getName();

	private static final int BUFFER_SIZE = 8 * 1024;

	private final Exchange owner;

	private @Nullable BufferedReader reader;

	private @Nullable AsyncContext asyncContext;

	/**
	 * Whether other code has obtained the container's own stream or reader.
	 */
	private boolean bodyTaken;

	ExchangeRequest(HttpServletRequest request, Exchange owner) {
		super(request);
		this.owner = owner;
	}

	boolean isBodyTaken() {
		return this.bodyTaken;
	}

	/**
	 * Reads what is left of the body, because no handler will. Jetty closes a connection
	 * whose body arrives after the response, and the client may not see the response. A
	 * client that waits for permission to send its body gets none.
	 */
	void discardBody() {
		BufferedBody read = this.owner.body();
		boolean nothingLeft = (read != null) ? read.isComplete() : this.bodyTaken || !isBodyAnnounced();
		if (nothingLeft || getContentLengthLong() > RequestContent.MOST_DISCARDED
				|| getHeader(HttpHeaders.EXPECT) != null) {
			return;
		}
		try {
			InputStream body = (read != null) ? read : super.getInputStream();
			byte[] buffer = new byte[BUFFER_SIZE];
			int count = 0;
			for (int left = RequestContent.MOST_DISCARDED; left > 0 && count >= 0; left -= count) {
				count = body.read(buffer, 0, Math.min(buffer.length, left));
			}
		}
		catch (IOException | IllegalStateException ex) {
			// The client has disconnected, or a filter around ours has read the body
		}
	}

	private boolean isBodyAnnounced() {
		return getContentLengthLong() > 0 || getHeader(HttpHeaders.TRANSFER_ENCODING) != null;
	}

	Charset bodyCharset() {
		String encoding = getCharacterEncoding();
		return (encoding != null) ? Charset.forName(encoding) : StandardCharsets.UTF_8;
	}

	@Override
	public @Nullable Object getAttribute(String name) {
		return OWNER.equals(name) ? this.owner : super.getAttribute(name);
	}

	/**
	 * After an include, Spring removes the attributes that were set meanwhile. The owner
	 * stays.
	 */
	@Override
	public void removeAttribute(String name) {
		if (!OWNER.equals(name)) {
			super.removeAttribute(name);
		}
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		BufferedBody body = this.owner.body();
		if (body != null) {
			return body;
		}
		this.bodyTaken = true;
		return super.getInputStream();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		BufferedBody body = this.owner.body();
		if (body == null) {
			this.bodyTaken = true;
			return super.getReader();
		}
		if (this.reader == null) {
			this.reader = new BufferedReader(new InputStreamReader(body, bodyCharset()));
		}
		return this.reader;
	}

	@Override
	public @Nullable String getParameter(String name) {
		Map<String, String[]> form = this.owner.form();
		return (form != null) ? FormParameters.first(form, name) : super.getParameter(name);
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		Map<String, String[]> form = this.owner.form();
		return (form != null) ? form.get(name) : super.getParameterValues(name);
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		Map<String, String[]> form = this.owner.form();
		return (form != null) ? form : super.getParameterMap();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		Map<String, String[]> form = this.owner.form();
		return (form != null) ? Collections.enumeration(form.keySet()) : super.getParameterNames();
	}

	@Override
	public AsyncContext startAsync() {
		this.owner.requireFreeToLeaveDispatch();
		this.asyncContext = this.owner.asyncStarted(super.startAsync());
		return this.asyncContext;
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
		this.owner.requireFreeToLeaveDispatch();
		this.asyncContext = this.owner.asyncStarted(super.startAsync(request, response), request, response);
		return this.asyncContext;
	}

	@Override
	public AsyncContext getAsyncContext() {
		return (this.asyncContext != null) ? this.asyncContext : super.getAsyncContext();
	}

	/**
	 * How long asynchronous processing may take, in milliseconds, or 0 if that is not
	 * known.
	 */
	long asyncTimeout() {
		return (this.asyncContext != null) ? this.asyncContext.getTimeout() : 0;
	}

	/**
	 * Lets the container's request go: it has ended.
	 * @param afterlife the request that replaces it
	 */
	void end(HttpServletRequest afterlife) {
		setRequest(afterlife);
	}

}
