package dev.idempotency.autoconfigure;

import dev.idempotency.web.IdempotencyFilter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;

import org.springframework.boot.web.servlet.ServletContextInitializer;

/**
 * Tells the filter of the end of requests: by a listener, which every container calls,
 * unless someone knows a cheaper way.
 */
final class EndsOfRequests implements ServletContextInitializer {

	private volatile boolean toldOtherwise;

	/**
	 * The container itself tells the filter.
	 */
	void areToldOtherwise() {
		this.toldOtherwise = true;
	}

	@Override
	public void onStartup(ServletContext context) {
		if (!this.toldOtherwise) {
			context.addListener(new Listener());
		}
	}

	private static final class Listener implements ServletRequestListener {

		@Override
		public void requestDestroyed(ServletRequestEvent event) {
			IdempotencyFilter.requestIsOver(event.getServletRequest());
		}

	}

}
