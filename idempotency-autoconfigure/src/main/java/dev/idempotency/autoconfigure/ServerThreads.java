package dev.idempotency.autoconfigure;

import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;

/**
 * The threads of a servlet container. A request that waits holds one, and the request
 * that it waits for may need another one to end.
 *
 * @param max how many there are
 */
record ServerThreads(int max) {

	/**
	 * What Tomcat and Jetty have by default.
	 */
	private static final int DEFAULT = 200;

	static ServerThreads of(Environment environment) {
		if (Threading.VIRTUAL.isActive(environment)) {
			return new ServerThreads(Integer.MAX_VALUE);
		}
		int tomcat = environment.getProperty("server.tomcat.threads.max", Integer.class, DEFAULT);
		return new ServerThreads(
				Math.min(tomcat, environment.getProperty("server.jetty.threads.max", Integer.class, DEFAULT)));
	}

}
