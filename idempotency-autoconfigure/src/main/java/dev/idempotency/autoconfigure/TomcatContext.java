package dev.idempotency.autoconfigure;

import java.io.IOException;

import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.RequestEnds;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.ServletException;
import org.apache.catalina.Context;
import org.apache.catalina.WebResourceRoot;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.web.servlet.ServletContextInitializer;

/**
 * Tells Tomcat what protected requests need of the application's context, be it embedded
 * or one that a war was deployed to.
 */
final class TomcatContext implements ServletContextInitializer {

	private static final Logger logger = LoggerFactory.getLogger(TomcatContext.class);

	/**
	 * Where Tomcat's own servlets find the resources of their application, which know its
	 * context.
	 */
	private static final String RESOURCES = "org.apache.catalina.resources";

	private static final String TOMCAT = "Apache Tomcat";

	private final RequestEnds ends;

	TomcatContext(RequestEnds ends) {
		this.ends = ends;
	}

	@Override
	public void onStartup(ServletContext application) {
		if (application.getAttribute(RESOURCES) instanceof WebResourceRoot resources) {
			Context context = resources.getContext();
			// Or else a handler that forwards would answer with nothing: what was written
			// waits in our wrapper to be stored first
			context.setSuspendWrappedResponseAfterForward(false);
			if (this.ends.errorsAreForwarded()) {
				application.addListener(new BrokenAnswers(context));
			}
		}
		else if (application.getServerInfo().startsWith(TOMCAT)) {
			logger.warn("Protected handlers that forward will answer with nothing: this Tomcat cannot be told to leave "
					+ "wrapped responses open. Set suspendWrappedResponseAfterForward=\"false\" in the application's "
					+ "<Context>");
		}
	}

	/**
	 * Breaks the connection of an answer off that has failed in its middle. Tomcat would
	 * do that by itself, but the filter that renders the errors of a war keeps such a
	 * failure from it, and clients would take what they have seen for the whole answer.
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
		 * A context that is started again is the same, and its application another one.
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
						new IOException("The answer has failed in its middle"));
				response.setError();
			}
		}

	}

}
