package dev.idempotency.web;

import dev.idempotency.http.ReplayedAnswer;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;
import dev.idempotency.StoredAnswers;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Protected handlers that a request does not come to by the straight way.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DetourTests implements Container.Choice {

	@AutoClose
	private final TestServer server = serve(List.of(WebTestApplication.class, Detours.class));

	@ParameterizedTest
	@CsvSource({ "/forwarding, 200", "/going-on, 200", "/including, 200", "/including-and-failing, 410",
			"/dispatching, 200" })
	void aRetryIsAnsweredWithoutTheHandler(String path, int status) {
		String key = TestServer.newKey();
		AtomicInteger calls = this.server.bean(Handlers.class).calls;
		int before = calls.get();
		Answer first = this.server.post(path).key(key).send();
		Answer second = this.server.post(path).key(key).send();
		assertThat(first.status()).isEqualTo(status);
		assertThat(second.status()).isEqualTo(status);
		assertThat(second.header(ReplayedAnswer.HEADER)).isEqualTo("true");
		assertThat(second.body()).isEqualTo(first.body()).isNotEmpty();
		assertThat(calls).hasValue(before + 1);
	}

	@Test
	void aRetryIsAnsweredWithoutAHandlerWhoseRequestIsDisguised() {
		aRetryIsAnsweredWithoutTheHandler("/disguised", 200);
	}

	TestServer server() {
		return this.server;
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Handlers.class)
	static class Detours {

		/**
		 * Gives the handler a request that nobody can unwrap.
		 */
		@Bean
		FilterRegistrationBean<Filter> disguise() {
			Filter filter = (request, response, chain) -> {
				Object disguised = Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { HttpServletRequest.class }, (proxy, method, arguments) -> {
							try {
								return method.invoke(request, arguments);
							}
							catch (InvocationTargetException ex) {
								throw ex.getTargetException();
							}
						});
				chain.doFilter((HttpServletRequest) disguised, response);
			};
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
			registration.addUrlPatterns("/disguised");
			registration.setOrder(IdempotencyFilter.DEFAULT_ORDER + 1);
			return registration;
		}

	}

	@RestController
	static class Handlers {

		private final AtomicInteger calls = new AtomicInteger();

		@Idempotent(store = StoredAnswers.ALL)
		@PostMapping({ "/goal", "/disguised" })
		String reach() {
			return "call " + this.calls.incrementAndGet();
		}

		@PostMapping("/forwarding")
		void forward(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			request.getRequestDispatcher("/goal").forward(request, response);
		}

		/**
		 * Protected itself, unlike what answers in its place.
		 */
		@Idempotent
		@PostMapping("/going-on")
		ModelAndView goOn() {
			return new ModelAndView("forward:/open");
		}

		@PostMapping("/open")
		String answer() {
			return "call " + this.calls.incrementAndGet();
		}

		@PostMapping("/including")
		void include(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
			request.getRequestDispatcher("/goal").include(request, response);
		}

		@PostMapping("/including-and-failing")
		void includeAndFail(HttpServletRequest request, HttpServletResponse response)
				throws ServletException, IOException {
			request.getRequestDispatcher("/goal").include(request, response);
			response.sendError(HttpServletResponse.SC_GONE);
		}

		@PostMapping("/dispatching")
		void dispatch(HttpServletRequest request) {
			request.startAsync().dispatch("/goal");
		}

	}

}
