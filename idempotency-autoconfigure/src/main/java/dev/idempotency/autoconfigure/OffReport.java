package dev.idempotency.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Warns once, when the application is ready, that protection is switched off, so that the
 * setting is not forgotten.
 */
final class OffReport implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(OffReport.class);

	private final ApplicationContext context;

	OffReport(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		// A child of this context is ready too
		if (event.getApplicationContext() == this.context) {
			logger
				.warn("Nothing is protected, since idempotency.enabled is false: every request, method, step and tool "
						+ "runs each time, and dry runs are refused");
		}
	}

}
