package dev.idempotency.web;

import java.util.List;

import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves out of an application what most tests have no use for, and which is only there
 * because some other test needs it: it takes longer to start than all the rest.
 */
public class Bystanders implements AutoConfigurationImportFilter, EnvironmentAware {

	private static final String SETTING = "test.bystanders";

	/**
	 * A setting of applications that go without them.
	 */
	public static final String NONE = SETTING + "=false";

	/**
	 * A setting of applications that do not.
	 */
	public static final String ALL = SETTING + "=true";

	private static final List<String> PARTS = List.of("org.springdoc.", "org.springframework.ai.", ".boot.actuate.",
			".boot.amqp.", ".boot.data.autoconfigure.", ".boot.health.", ".boot.http.client.", ".boot.jms.",
			".boot.kafka.", ".boot.micrometer.metrics.autoconfigure.export.", ".boot.micrometer.tracing.",
			".boot.netty.", ".boot.opentelemetry.", ".boot.restclient.", ".boot.transaction.jta.", ".boot.webclient.",
			".autoconfigure.actuate.");

	private boolean wanted = true;

	@Override
	public void setEnvironment(Environment environment) {
		this.wanted = environment.getProperty(SETTING, Boolean.class, true);
	}

	@Override
	public boolean[] match(String[] candidates, AutoConfigurationMetadata metadata) {
		boolean[] matches = new boolean[candidates.length];
		for (int i = 0; i < candidates.length; i++) {
			String candidate = candidates[i];
			matches[i] = this.wanted || candidate == null || PARTS.stream().noneMatch(candidate::contains);
		}
		return matches;
	}

}
