package dev.idempotency.web;

import java.io.IOException;
import java.util.function.Consumer;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asynchronous context of a protected request. Its response is stored before
 * processing ends, and a client that disconnects does not end it.
 */
final class ExchangeAsyncContext implements AsyncContext {

	private static final Logger logger = LoggerFactory.getLogger(ExchangeAsyncContext.class);

	private final AsyncContext delegate;

	private final ServletRequest request;

	private final ServletResponse response;

	private final Owner owner;

	private final Tether tether;

	private final boolean original;

	private volatile long timeout;

	ExchangeAsyncContext(AsyncContext delegate, ServletRequest request, ServletResponse response, Owner owner,
			Tether tether) {
		this.delegate = delegate;
		this.request = request;
		this.response = response;
		this.owner = owner;
		this.tether = tether;
		this.original = delegate.hasOriginalRequestAndResponse();
		this.timeout = delegate.getTimeout();
		// Before all other listeners, which may make it impossible to continue
		delegate.addListener(new ConnectionWatch());
	}

	/**
	 * Reaches the container's context, unless the request has ended.
	 * @return whether it has not
	 */
	private boolean act(Consumer<AsyncContext> action) {
		if (!this.tether.enter()) {
			return false;
		}
		try {
			action.accept(this.delegate);
			return true;
		}
		finally {
			this.tether.exit();
		}
	}

	private static IllegalStateException ended() {
		return new IllegalStateException("The request of this AsyncContext has ended");
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
		return this.original;
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

	/**
	 * Once the request has ended, this and {@link #complete()} do nothing: a task that is
	 * late must not fail on a thread of the container.
	 */
	private void dispatch(Consumer<AsyncContext> dispatch) {
		// A task that continued without its client has ended: there is no client to
		// respond to
		if (!this.owner.wasDetached()) {
			act(dispatch);
		}
	}

	/**
	 * No dispatch follows: what the handler has written is the response.
	 */
	@Override
	public void complete() {
		this.owner.completedByHandler();
		if (this.owner.isCut()) {
			// Completing would finish the response; a dispatch can fail instead
			act(AsyncContext::dispatch);
		}
		else {
			this.owner.untie();
			act(AsyncContext::complete);
		}
	}

	/**
	 * The container gets a task that never fails: to a failure, Tomcat responds with an
	 * error on its own response, which may belong to another request by then.
	 */
	@Override
	public void start(Runnable task) {
		if (!act((context) -> context.start(() -> run(task)))) {
			throw ended();
		}
	}

	private void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			this.owner.taskFailed(ex);
			failNextDispatch();
		}
	}

	private void failNextDispatch() {
		try {
			if (this.owner.isCut()) {
				act(AsyncContext::dispatch);
			}
		}
		catch (IllegalStateException ex) {
			// The task has completed or dispatched before
			logger.debug("Nothing is left to dispatch", ex);
		}
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
		if (!this.tether.enter()) {
			throw new ServletException(ended());
		}
		try {
			return this.delegate.createListener(type);
		}
		finally {
			this.tether.exit();
		}
	}

	@Override
	public void setTimeout(long timeout) {
		if (act((context) -> context.setTimeout(timeout))) {
			this.timeout = timeout;
		}
	}

	@Override
	public long getTimeout() {
		return this.timeout;
	}

	/**
	 * Learns of a broken connection, even if the handler has no listener, and of the end.
	 */
	private final class ConnectionWatch implements AsyncListener {

		@Override
		public void onError(AsyncEvent event) {
			if (event.getThrowable() instanceof IOException) {
				ExchangeAsyncContext.this.owner.connectionLost();
				if (ExchangeAsyncContext.this.owner.wasDetached()) {
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
	 * Hides the end of the request from a handler that still writes after its client has
	 * disconnected. Its response is for the retry.
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
			if (!ExchangeAsyncContext.this.owner.wasDetached()) {
				this.listener.onError(ours(event));
			}
		}

		@Override
		public void onComplete(AsyncEvent event) throws IOException {
			AsyncEvent ours = ours(event);
			if (!ExchangeAsyncContext.this.owner.holdBack(() -> this.listener.onComplete(ours))) {
				this.listener.onComplete(ours);
			}
		}

		/**
		 * Listeners get the objects that the handler got, and may keep them.
		 */
		private AsyncEvent ours(AsyncEvent event) {
			return new AsyncEvent(ExchangeAsyncContext.this, this.request, this.response, event.getThrowable());
		}

	}

	/**
	 * The owner of the request.
	 */
	interface Owner {

		/**
		 * Whether the handler has continued without its client, finished or not, or was
		 * abandoned before it began.
		 */
		boolean wasDetached();

		/**
		 * Holds a callback back until a detached task has ended.
		 * @return whether there is such a task
		 */
		boolean holdBack(Callback callback);

		/**
		 * The handler has ended asynchronous processing itself.
		 */
		void completedByHandler();

		/**
		 * Whether the response must not be finished: the next dispatch fails instead.
		 */
		boolean isCut();

		/**
		 * Asynchronous processing has timed out, and perhaps no dispatch follows.
		 */
		void timedOut();

		/**
		 * The connection is broken.
		 */
		void connectionLost();

		/**
		 * A task that was given to the container has failed.
		 */
		void taskFailed(Throwable failure);

		/**
		 * The container has finished the request.
		 */
		void requestIsOver();

		/**
		 * Unties the threads of the handler from the container's response. Only the
		 * container's own dispatches reach it from now on.
		 */
		void untie();

	}

	/**
	 * A callback of the container.
	 */
	@FunctionalInterface
	interface Callback {

		void run() throws IOException;

	}

}
