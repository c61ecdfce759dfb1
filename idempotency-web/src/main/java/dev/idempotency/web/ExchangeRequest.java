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
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A request that lets everything through until its body was read ahead of the handler,
 * and then gives the handler what was read.
 */
final class ExchangeRequest extends HttpServletRequestWrapper {

	private final Exchange exchange;

	private @Nullable BufferedReader reader;

	private @Nullable AsyncContext asyncContext;

	/**
	 * Whether someone reads the body past us.
	 */
	private boolean bodyTaken;

	ExchangeRequest(HttpServletRequest request, Exchange exchange) {
		super(request);
		this.exchange = exchange;
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
		return Exchange.ATTRIBUTE.equals(name) ? this.exchange : super.getAttribute(name);
	}

	/**
	 * After an include, Spring takes back all that was set meanwhile.
	 */
	@Override
	public void removeAttribute(String name) {
		if (!Exchange.ATTRIBUTE.equals(name)) {
			super.removeAttribute(name);
		}
	}

	@Override
	public ServletInputStream getInputStream() throws IOException {
		BufferedBody body = this.exchange.body();
		if (body != null) {
			return body;
		}
		this.bodyTaken = true;
		return super.getInputStream();
	}

	@Override
	public BufferedReader getReader() throws IOException {
		BufferedBody body = this.exchange.body();
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
		Map<String, String[]> form = this.exchange.form();
		return (form != null) ? FormParameters.first(form, name) : super.getParameter(name);
	}

	@Override
	public String @Nullable [] getParameterValues(String name) {
		Map<String, String[]> form = this.exchange.form();
		return (form != null) ? form.get(name) : super.getParameterValues(name);
	}

	@Override
	public Map<String, String[]> getParameterMap() {
		Map<String, String[]> form = this.exchange.form();
		return (form != null) ? form : super.getParameterMap();
	}

	@Override
	public Enumeration<String> getParameterNames() {
		Map<String, String[]> form = this.exchange.form();
		return (form != null) ? Collections.enumeration(form.keySet()) : super.getParameterNames();
	}

	/**
	 * Goes on with the container's own response, past those around us, but not past the
	 * record.
	 */
	@Override
	public AsyncContext startAsync() {
		this.exchange.requireNoTransaction();
		AsyncContext started = super.startAsync();
		if (this.exchange.isArmed() && started.getResponse() instanceof HttpServletResponse original) {
			this.exchange.continueOn(original);
		}
		return watched(started, this, this.exchange.response());
	}

	@Override
	public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
		this.exchange.requireNoTransaction();
		return watched(super.startAsync(request, response), request, response);
	}

	@Override
	public AsyncContext getAsyncContext() {
		return (this.asyncContext != null) ? this.asyncContext : super.getAsyncContext();
	}

	private AsyncContext watched(AsyncContext started, ServletRequest request, ServletResponse response) {
		this.exchange.asyncStarted();
		this.asyncContext = this.exchange.isArmed()
				? new ExchangeAsyncContext(started, request, response, this.exchange) : started;
		return this.asyncContext;
	}

	/**
	 * Leaves the container's request alone: it has ended.
	 * @param afterlife what is told of it from now on
	 */
	void end(HttpServletRequest afterlife) {
		setRequest(afterlife);
	}

}
