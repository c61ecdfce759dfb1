package dev.idempotency.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;

import dev.idempotency.http.FormParameters;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request that lets everything through until its body was read ahead of the handler,
 * and then gives the handler what was read.
 */
final class ExchangeRequest extends HttpServletRequestWrapper {

	/**
	 * The attribute by which the owner is known. Inside of the filter the wrapper answers
	 * for it, and no attribute has to be set for all those requests that are not
	 * protected.
	 */
	static final String OWNER = ExchangeRequest.class.getName();

	private final Owner owner;

	private @Nullable BufferedReader reader;

	private @Nullable AsyncContext asyncContext;

	/**
	 * Whether someone reads the body past us.
	 */
	private boolean bodyTaken;

	ExchangeRequest(HttpServletRequest request, Owner owner) {
		super(request);
		this.owner = owner;
	}

	boolean isBodyTaken() {
		return this.bodyTaken;
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
	 * After an include, Spring takes back all that was set meanwhile.
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
		this.owner.handling().requireFreeToLeaveDispatch();
		this.asyncContext = this.owner.asyncStarted(super.startAsync());
		return this.asyncContext;
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
		this.owner.handling().requireFreeToLeaveDispatch();
		this.asyncContext = this.owner.asyncStarted(super.startAsync(request, response), request, response);
		return this.asyncContext;
	}

	@Override
	public AsyncContext getAsyncContext() {
		return (this.asyncContext != null) ? this.asyncContext : super.getAsyncContext();
	}

	/**
	 * Leaves the container's request alone: it has ended.
	 * @param afterlife what is told of it from now on
	 */
	void end(HttpServletRequest afterlife) {
		setRequest(afterlife);
	}

	/**
	 * Whose request it is.
	 */
	interface Owner {

		/**
		 * What was read of the request's body ahead of its handler.
		 */
		@Nullable BufferedBody body();

		/**
		 * The parameters of a form that was read ahead of its handler.
		 */
		@Nullable Map<String, String[]> form();

		/**
		 * What becomes of the request.
		 */
		Handling handling();

		/**
		 * Goes on with the container's own request and response.
		 * @return what the handler gets
		 */
		AsyncContext asyncStarted(AsyncContext started);

		/**
		 * Goes on with a request and a response of the handler's choice.
		 * @return what the handler gets
		 */
		AsyncContext asyncStarted(AsyncContext started, ServletRequest request, ServletResponse response);

	}

}
