package dev.idempotency.web;

import java.io.IOException;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;

/**
 * Asynchronous processing of a protected request: it ends with the answer stored, and a
 * client that hangs up does not end it.
 */
final class ExchangeAsyncContext implements AsyncContext {

	private final AsyncContext delegate;

	private final ServletResponse response;

	private final Exchange exchange;

	ExchangeAsyncContext(AsyncContext delegate, ServletResponse response, Exchange exchange) {
		this.delegate = delegate;
		this.response = response;
		this.exchange = exchange;
		// Before all others, who may make it impossible to go on
		delegate.addListener(new ConnectionWatch());
	}

	@Override
	public ServletRequest getRequest() {
		return this.delegate.getRequest();
	}

	@Override
	public ServletResponse getResponse() {
		return this.response;
	}

	@Override
	public boolean hasOriginalRequestAndResponse() {
		return this.delegate.hasOriginalRequestAndResponse();
	}

	@Override
	public void dispatch() {
		this.delegate.dispatch();
	}

	@Override
	public void dispatch(String path) {
		this.delegate.dispatch(path);
	}

	@Override
	public void dispatch(ServletContext context, String path) {
		this.delegate.dispatch(context, path);
	}

	/**
	 * Nothing is dispatched after this: what the handler has written is the answer.
	 */
	@Override
	public void complete() {
		this.exchange.completedByHandler();
		if (this.exchange.isCut()) {
			// Completing would end the answer; a dispatch can fail instead
			this.delegate.dispatch();
		}
		else {
			this.delegate.complete();
		}
	}

	@Override
	public void start(Runnable task) {
		this.delegate.start(task);
	}

	@Override
	public void addListener(AsyncListener listener) {
		this.delegate.addListener(new DisconnectTolerantListener(listener));
	}

	@Override
	public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
		this.delegate.addListener(new DisconnectTolerantListener(listener), request, response);
	}

	@Override
	public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
		return this.delegate.createListener(type);
	}

	@Override
	public void setTimeout(long timeout) {
		this.delegate.setTimeout(timeout);
	}

	@Override
	public long getTimeout() {
		return this.delegate.getTimeout();
	}

	/**
	 * Hears that the connection is broken, also where the handler does not listen, and of
	 * the end.
	 */
	private final class ConnectionWatch implements AsyncListener {

		@Override
		public void onError(AsyncEvent event) {
			if (event.getThrowable() instanceof IOException) {
				ExchangeAsyncContext.this.exchange.connectionLost();
			}
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onComplete(AsyncEvent event) {
			ExchangeAsyncContext.this.exchange.requestIsOver();
		}

	}

	/**
	 * While a handler still writes an answer that its client does not wait for, nobody
	 * tells it that the request is over: the answer is for the retry.
	 */
	private final class DisconnectTolerantListener implements AsyncListener {

		private final AsyncListener listener;

		private DisconnectTolerantListener(AsyncListener listener) {
			this.listener = listener;
		}

		@Override
		public void onStartAsync(AsyncEvent event) throws IOException {
			this.listener.onStartAsync(event);
		}

		@Override
		public void onTimeout(AsyncEvent event) throws IOException {
			this.listener.onTimeout(event);
		}

		@Override
		public void onError(AsyncEvent event) throws IOException {
			if (!ExchangeAsyncContext.this.exchange.isDetached()) {
				this.listener.onError(event);
			}
		}

		@Override
		public void onComplete(AsyncEvent event) throws IOException {
			if (!ExchangeAsyncContext.this.exchange.holdBack(() -> this.listener.onComplete(event))) {
				this.listener.onComplete(event);
			}
		}

	}

}
