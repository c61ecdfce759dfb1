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

	private final Exchange exchange;

	private final ProtectedRun run;

	private final Outlet outlet;

	private final boolean original;

	private volatile long timeout;

	ExchangeAsyncContext(AsyncContext delegate, ServletRequest request, ServletResponse response, Exchange exchange,
			ProtectedRun run, Outlet outlet) {
		this.delegate = delegate;
		this.request = request;
		this.response = response;
		this.exchange = exchange;
		this.run = run;
		this.outlet = outlet;
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
		if (!this.outlet.enter()) {
			return false;
		}
		try {
			action.accept(this.delegate);
			return true;
		}
		finally {
			this.outlet.exit();
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
		if (!this.run.wasDetached()) {
			act(dispatch);
		}
	}

	/**
	 * No dispatch follows: what the handler has written is the response.
	 */
	@Override
	public void complete() {
		this.run.completedByHandler();
		if (this.run.isCut()) {
			// Completing would finish the response; a dispatch can fail instead
			act(AsyncContext::dispatch);
		}
		else {
			this.exchange.closeOutlet();
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
			this.run.startedTaskFailed(ex);
			failNextDispatch();
		}
	}

	private void failNextDispatch() {
		try {
			if (this.run.isCut()) {
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
		if (!this.outlet.enter()) {
			throw new ServletException(ended());
		}
		try {
			return this.delegate.createListener(type);
		}
		finally {
			this.outlet.exit();
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
				// A thread that is writing fails first
				ExchangeAsyncContext.this.exchange.closeOutlet();
				ExchangeAsyncContext.this.run.connectionLost();
				if (ExchangeAsyncContext.this.run.wasDetached()) {
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
			ExchangeAsyncContext.this.run.timedOut();
		}

		@Override
		public void onComplete(AsyncEvent event) {
			ExchangeAsyncContext.this.exchange.requestIsOver();
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
			if (!ExchangeAsyncContext.this.run.wasDetached()) {
				this.listener.onError(ours(event));
			}
		}

		@Override
		public void onComplete(AsyncEvent event) throws IOException {
			AsyncEvent ours = ours(event);
			if (!ExchangeAsyncContext.this.run.holdBack(() -> this.listener.onComplete(ours))) {
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

}
