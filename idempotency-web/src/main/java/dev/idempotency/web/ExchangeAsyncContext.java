package dev.idempotency.web;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Function;

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

	private final ServletRequest request;

	private final ServletResponse response;

	private final Owner owner;

	private final Tether tether;

	ExchangeAsyncContext(AsyncContext delegate, ServletRequest request, ServletResponse response, Owner owner,
			Tether tether) {
		this.delegate = delegate;
		this.request = request;
		this.response = response;
		this.owner = owner;
		this.tether = tether;
		// Before all others, who may make it impossible to go on
		delegate.addListener(new ConnectionWatch());
	}

	private void enter() {
		if (!this.tether.enter()) {
			throw new IllegalStateException("The request of this AsyncContext has ended");
		}
	}

	private <T> T ask(Function<AsyncContext, T> question) {
		enter();
		try {
			return question.apply(this.delegate);
		}
		finally {
			this.tether.exit();
		}
	}

	private void act(Consumer<AsyncContext> action) {
		ask((context) -> {
			action.accept(context);
			return context;
		});
	}

	@Override
	public ServletRequest getRequest() {
		return this.request;
	}

	@Override
	public ServletResponse getResponse() {
		return this.response;
	}

	@Override
	public boolean hasOriginalRequestAndResponse() {
		return ask(AsyncContext::hasOriginalRequestAndResponse);
	}

	@Override
	public void dispatch() {
		dispatch(AsyncContext::dispatch);
	}

	@Override
	public void dispatch(String path) {
		dispatch((context) -> context.dispatch(path));
	}

	@Override
	public void dispatch(ServletContext context, String path) {
		dispatch((it) -> it.dispatch(context, path));
	}

	private void dispatch(Consumer<AsyncContext> dispatch) {
		// A task that went on without its client has come to its end: nobody is left to
		// answer
		if (!this.owner.handling().wasDetached()) {
			act(dispatch);
		}
	}

	/**
	 * Nothing is dispatched after this: what the handler has written is the answer.
	 */
	@Override
	public void complete() {
		this.owner.handling().completedByHandler();
		if (this.owner.handling().isCut()) {
			// Completing would end the answer; a dispatch can fail instead
			act(AsyncContext::dispatch);
		}
		else {
			this.owner.untie();
			act(AsyncContext::complete);
		}
	}

	@Override
	public void start(Runnable task) {
		act((context) -> context.start(task));
	}

	@Override
	public void addListener(AsyncListener listener) {
		addListener(listener, this.request, this.response);
	}

	@Override
	public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
		act((context) -> context.addListener(new DisconnectTolerantListener(listener, request, response)));
	}

	@Override
	public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
		enter();
		try {
			return this.delegate.createListener(type);
		}
		finally {
			this.tether.exit();
		}
	}

	@Override
	public void setTimeout(long timeout) {
		act((context) -> context.setTimeout(timeout));
	}

	@Override
	public long getTimeout() {
		return ask(AsyncContext::getTimeout);
	}

	/**
	 * Hears that the connection is broken, also where the handler does not listen, and of
	 * the end.
	 */
	private final class ConnectionWatch implements AsyncListener {

		@Override
		public void onError(AsyncEvent event) {
			if (event.getThrowable() instanceof IOException) {
				ExchangeAsyncContext.this.owner.connectionLost();
				if (ExchangeAsyncContext.this.owner.handling().wasDetached()) {
					// The container has nothing to wait for, and no error to render
					act(AsyncContext::complete);
				}
			}
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

		@Override
		public void onTimeout(AsyncEvent event) {
			ExchangeAsyncContext.this.owner.timedOut();
		}

		@Override
		public void onComplete(AsyncEvent event) {
			ExchangeAsyncContext.this.owner.requestIsOver();
		}

	}

	/**
	 * While a handler still writes an answer that its client does not wait for, nobody
	 * tells it that the request is over: the answer is for the retry.
	 */
	private final class DisconnectTolerantListener implements AsyncListener {

		private final AsyncListener listener;

		private final ServletRequest request;

		private final ServletResponse response;

		private DisconnectTolerantListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
			this.listener = listener;
			this.request = request;
			this.response = response;
		}

		@Override
		public void onStartAsync(AsyncEvent event) throws IOException {
			this.listener.onStartAsync(ours(event));
		}

		@Override
		public void onTimeout(AsyncEvent event) throws IOException {
			this.listener.onTimeout(ours(event));
		}

		@Override
		public void onError(AsyncEvent event) throws IOException {
			if (!ExchangeAsyncContext.this.owner.handling().wasDetached()) {
				this.listener.onError(ours(event));
			}
		}

		@Override
		public void onComplete(AsyncEvent event) throws IOException {
			AsyncEvent ours = ours(event);
			if (!ExchangeAsyncContext.this.owner.handling().holdBack(() -> this.listener.onComplete(ours))) {
				this.listener.onComplete(ours);
			}
		}

		/**
		 * Listeners get what the handler got, and may keep it.
		 */
		private AsyncEvent ours(AsyncEvent event) {
			return new AsyncEvent(ExchangeAsyncContext.this, this.request, this.response, event.getThrowable());
		}

	}

	/**
	 * Whose request is processed.
	 */
	interface Owner {

		/**
		 * What becomes of the request.
		 */
		Handling handling();

		/**
		 * The time is over, and perhaps nobody answers.
		 */
		void timedOut();

		/**
		 * The connection is broken.
		 */
		void connectionLost();

		/**
		 * The container is done with the request.
		 */
		void requestIsOver();

		/**
		 * Lets nothing reach the container's response any more but what the container
		 * itself dispatches.
		 */
		void untie();

	}

}
