package dev.idempotency.autoconfigure;

import java.io.IOException;

import dev.idempotency.web.FormLimits;
import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.RequestEnds;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.WebResourceRoot;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.web.servlet.ServletContextInitializer;

/**
 * Configures Tomcat's context for protected requests, both in an embedded Tomcat and in
 * one with a deployed war.
 */
final class TomcatContext implements ServletContextInitializer, FormLimits {

	private static final Logger logger = LoggerFactory.getLogger(TomcatContext.class);

	/**
	 * The attribute in which Tomcat's own servlets find the resources of the application,
	 * which lead to its context.
	 */
	private static final String RESOURCES = "org.apache.catalina.resources";

	private static final String TOMCAT = "Apache Tomcat";

	private final RequestEnds ends;

	private volatile @Nullable Context context;

	TomcatContext(RequestEnds ends) {
		this.ends = ends;
	}

	@Override
	public void onStartup(ServletContext application) {
		if (application.getAttribute(RESOURCES) instanceof WebResourceRoot resources) {
			Context context = resources.getContext();
			this.context = context;
			// Otherwise a handler that forwards would send an empty response: what it
			// wrote is still in our wrapper, to be stored first
			context.setSuspendWrappedResponseAfterForward(false);
			if (this.ends.errorsAreForwarded()) {
				application.addListener(new BrokenAnswers(context));
			}
		}
		else if (application.getServerInfo().startsWith(TOMCAT)) {
			logger.warn("Protected handlers that forward will send empty responses: this Tomcat's context cannot be "
					+ "configured from here. Set suspendWrappedResponseAfterForward=\"false\" in the application's "
					+ "<Context>");
		}
	}

	@Override
	public int refusal(HttpServletRequest request, int size, int parameters) {
		Context running = this.context;
		if (running == null || !(running.getParent().getParent() instanceof Engine engine)) {
			return 0;
		}
		for (Connector connector : engine.getService().findConnectors()) {
			if (connector.getLocalPort() == request.getLocalPort()) {
				return refusal(connector, size, parameters);
			}
		}
		return 0;
	}

	private static int refusal(Connector connector, int size, int parameters) {
		if (connector.getMaxPostSize() >= 0 && size > connector.getMaxPostSize()) {
			return HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE;
		}
		boolean tooMany = connector.getMaxParameterCount() >= 0 && parameters > connector.getMaxParameterCount();
		return tooMany ? HttpServletResponse.SC_BAD_REQUEST : 0;
	}

	/**
	 * Aborts the connection of a response that failed after it was partly sent. Tomcat
	 * would do so itself, but the filter that renders the errors of a war hides the
	 * failure from it, and clients would take the partial response for the whole one.
	 */
	private static final class BrokenAnswers extends ValveBase implements ServletContextListener {

		private final Context context;

		private BrokenAnswers(Context context) {
			super(true);
			this.context = context;
		}

		@Override
		public void contextInitialized(ServletContextEvent event) {
			this.context.getPipeline().addValve(this);
		}

		/**
		 * A restarted context is the same object, with another application.
		 */
		@Override
		public void contextDestroyed(ServletContextEvent event) {
			this.context.getPipeline().removeValve(this);
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			getNext().invoke(request, response);
			if (IdempotencyFilter.isBrokenOff(request)) {
				request.setAttribute(RequestDispatcher.ERROR_EXCEPTION,
						new IOException("The response failed after it was partly sent"));
				response.setError();
			}
		}

	}

}
