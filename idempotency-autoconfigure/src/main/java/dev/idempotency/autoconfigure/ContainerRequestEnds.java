package dev.idempotency.autoconfigure;

import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.RequestEnds;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.servlet.ServletContextInitializer;

/**
 * Notifies the filter of the end of requests, through the container's own API if it is
 * known, or else through a listener, which every container calls.
 */
final class ContainerRequestEnds implements ServletContextInitializer, RequestEnds {

	private final boolean errorsForwarded;

	private volatile @Nullable RequestEnds container;

	/**
	 * Create it.
	 * @param errorsForwarded whether a filter renders errors, as in a war
	 */
	ContainerRequestEnds(boolean errorsForwarded) {
		this.errorsForwarded = errorsForwarded;
	}

	/**
	 * Sets the container's own notification.
	 */
	void areToldBy(RequestEnds container) {
		this.container = container;
	}

	@Override
	public void whenOver(HttpServletRequest request, Runnable end) {
		RequestEnds known = this.container;
		if (known != null) {
			known.whenOver(request, end);
		}
	}

	@Override
	public boolean errorsAreForwarded() {
		return this.errorsForwarded;
	}

	@Override
	public void onStartup(ServletContext context) {
		if (this.container == null) {
			context.addListener(new Listener());
		}
	}

	private static final class Listener implements ServletRequestListener {

		@Override
		public void requestDestroyed(ServletRequestEvent event) {
			IdempotencyFilter.requestDestroyed(event.getServletRequest());
		}

	}

}
