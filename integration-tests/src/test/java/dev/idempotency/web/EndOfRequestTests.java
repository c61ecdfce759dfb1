package dev.idempotency.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;
import dev.idempotency.StoredAnswers;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where the application has no error page, the container writes one of its own, and
 * nobody but the end of the request tells that there is no answer to wait for.
 */
class EndOfRequestTests {

	/**
	 * As on an embedded Tomcat, and as on any other container.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anErrorThatTheContainerRendersIsRememberedToo(boolean embeddedTomcat) {
		List<Class<?>> sources = new ArrayList<>(List.of(WebTestApplication.class, Refusing.class));
		if (!embeddedTomcat) {
			sources.add(AnotherContainer.class);
		}
		try (TestServer server = TestServer.start(sources, TestServer.WITHOUT_ERROR_PAGE)) {
			Refusing handler = server.bean(Refusing.class);
			String key = TestServer.newKey();
			assertThat(server.post("/refusing").key(key).send().status()).isEqualTo(404);
			assertThat(server.post("/refusing").key(key).send().status()).isEqualTo(404);
			assertThat(handler.calls).hasValue(1);
			assertThat(listeners(server)).hasSize(embeddedTomcat ? 0 : 1);
		}
	}

	/**
	 * With one listener of any kind, Tomcat makes an event of each attribute that anyone
	 * sets on a request.
	 */
	private static Object[] listeners(TestServer server) {
		Tomcat tomcat = ((TomcatWebServer) server.container()).getTomcat();
		return ((StandardContext) tomcat.getHost().findChildren()[0]).getApplicationEventListeners();
	}

	@RestController
	static class Refusing {

		private final AtomicInteger calls = new AtomicInteger();

		@Idempotent(store = StoredAnswers.ALL)
		@PostMapping("/refusing")
		void refuse(HttpServletResponse response) throws IOException {
			this.calls.incrementAndGet();
			response.sendError(404);
		}

	}

	/**
	 * Takes away what is for Tomcat only.
	 */
	static class AnotherContainer implements BeanDefinitionRegistryPostProcessor {

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
			registry.removeBeanDefinition("idempotencyTomcatCustomizer");
		}

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		}

	}

}
