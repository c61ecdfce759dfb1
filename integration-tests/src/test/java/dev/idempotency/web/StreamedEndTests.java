package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Idempotent;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The end of a {@code StreamingResponseBody}, whatever the container does meanwhile.
 * Spring asks it for one more dispatch when all is written, and filters may add to the
 * response then.
 */
class StreamedEndTests {

	private static final String STREAMED = "all that the handler streams";

	private static final String TRAILER = ", and its trailer";

	private static final int PIECE = 16 * 1024;

	@Test
	void isStoredAlthoughTheContainerLosesTheLastDispatch() throws IOException {
		try (TestServer server = TestServer
			.start(List.of(WebTestApplication.class, Endpoint.class, LosingContainer.class))) {
			String key = TestServer.newKey();
			try (Wire wire = Wire.post(server, "/streamed", key)) {
				assertThat(wire.readHead().status()).isEqualTo(200);
				assertThat(wire.read(STREAMED.length())).isEqualTo(STREAMED);
				Answer retry = await().atMost(Duration.ofSeconds(20))
					.until(() -> server.post("/streamed").key(key).send(), Answer::isReplay);
				assertThat(retry.text()).isEqualTo(STREAMED);
				assertThat(wire.isSilent()).as("its end is lost").isTrue();
			}
			assertThat(server.executions().of("streamed")).isEqualTo(1);
		}
	}

	@Test
	void hasWhatAFilterAddsInTheLastDispatch() {
		try (TestServer server = TestServer
			.start(List.of(WebTestApplication.class, Endpoint.class, TrailerFilter.class))) {
			String key = TestServer.newKey();
			Answer first = server.post("/streamed").key(key).send();
			assertThat(first.text()).isEqualTo(STREAMED + TRAILER);
			server.post("/streamed").key(key).send().assertReplayOf(first);
		}
	}

	/**
	 * Tomcat refuses to be used on the thread of the task after that.
	 */
	@ParameterizedTest
	@CsvSource({ "TOMCAT_HTTP2, 60, true", "JETTY_HTTP2, 60, true", "TOMCAT_HTTP2, 320, false",
			"JETTY_HTTP2, 320, false" })
	void isWrittenToItsEndWhenItsStreamWasResetBefore(Container container, int pieces, boolean stored) {
		try (TestServer server = TestServer.start(container,
				List.of(WebTestApplication.class, Patient.class, Leaving.class, Gates.class))) {
			String key = TestServer.newKey();
			String path = "/patient/" + pieces;
			try (Http2Connection connection = new Http2Connection(server)) {
				Http2Connection.Stream stream = connection.post(path, key);
				server.bean(Gates.class).await("begun");
				server.bean(Gates.class).await("heard");
				stream.reset();
				Answer retry = await().atMost(Duration.ofSeconds(20))
					.until(() -> server.post(path).key(key).send(),
							(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
				if (stored) {
					assertThat(retry.isReplay()).as("%s", retry).isTrue();
					assertThat(retry.body()).hasSize(pieces * PIECE);
				}
				else {
					retry.assertProblem(409, "not-replayable");
				}
			}
			assertThat(server.executions().of("patient")).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "TOMCAT", "JETTY" })
	void runsOnceWhenTheContainerEndsItsRequestBefore(Container container) throws IOException {
		try (TestServer server = TestServer.start(container,
				List.of(WebTestApplication.class, Patient.class, HastyContainer.class, Gates.class))) {
			String key = TestServer.newKey();
			Gates gates = server.bean(Gates.class);
			try (Wire first = Wire.post(server, "/patient/60", key)) {
				gates.await("ended");
				assertThat(first.readHead().status()).isEqualTo(200);
				server.post("/patient/60").key(key).send().assertInProgress();
				gates.open("gone");
				Answer retry = await().atMost(Duration.ofSeconds(20))
					.until(() -> server.post("/patient/60").key(key).send(),
							(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
				assertThat(retry.isReplay()).as("%s", retry).isTrue();
				assertThat(retry.body()).hasSize(60 * PIECE);
			}
			assertThat(server.executions().of("patient")).isEqualTo(1);
		}
	}

	/**
	 * Stands for a container that mistakes one request for another.
	 */
	@Configuration(proxyBeanMethods = false)
	static class HastyContainer {

		@Bean
		FilterRegistrationBean<Filter> hastyFilter(Gates gates) {
			return register(IdempotencyFilter.DEFAULT_ORDER - 1, (request, response, chain) -> {
				chain.doFilter(request, response);
				if (request.isAsyncStarted()) {
					AsyncContext context = request.getAsyncContext();
					context.addListener(new ContainerListener(gates));
					Background.execute(() -> {
						gates.await("begun");
						context.complete();
					});
				}
			});
		}

	}

	/**
	 * Writes when its client is gone.
	 */
	@RestController
	record Patient(Executions executions, Gates gates) {

		@PostMapping("/patient/{pieces}")
		@Idempotent
		StreamingResponseBody patient(@PathVariable int pieces) {
			this.executions.next("patient");
			return (out) -> {
				this.gates.open("begun");
				this.gates.await("gone");
				for (int piece = 0; piece < pieces; piece++) {
					// The container is not done with the error when it tells of it
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
					out.write(new byte[PIECE]);
				}
			};
		}

	}

	/**
	 * Hears from the container that a client is gone: listeners of handlers hear of it
	 * when their task has ended.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Leaving {

		@Bean
		FilterRegistrationBean<Filter> leavingFilter(Gates gates) {
			return register(IdempotencyFilter.DEFAULT_ORDER - 1, (request, response, chain) -> {
				chain.doFilter(request, response);
				if (request.isAsyncStarted()) {
					request.getAsyncContext().addListener(new ContainerListener(gates));
					gates.open("heard");
				}
			});
		}

	}

	private record ContainerListener(Gates gates) implements AsyncListener {

		@Override
		public void onError(AsyncEvent event) {
			this.gates.open("gone");
		}

		@Override
		public void onComplete(AsyncEvent event) {
			this.gates.open("ended");
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

	}

	@RestController
	record Endpoint(Executions executions) {

		@PostMapping("/streamed")
		@Idempotent
		StreamingResponseBody streamed() {
			this.executions.next("streamed");
			return (out) -> out.write(STREAMED.getBytes(StandardCharsets.UTF_8));
		}

	}

	/**
	 * Adds to what was streamed, as a filter does that compresses.
	 */
	@Configuration(proxyBeanMethods = false)
	static class TrailerFilter {

		@Bean
		FilterRegistrationBean<Filter> trailerFilter() {
			return register(IdempotencyFilter.DEFAULT_ORDER + 1, (request, response, chain) -> {
				chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response));
				if (request.getDispatcherType() == DispatcherType.ASYNC && !isReplay(response)) {
					response.getOutputStream().write(TRAILER.getBytes(StandardCharsets.UTF_8));
				}
			});
		}

		private static boolean isReplay(ServletResponse response) {
			return ((HttpServletResponse) response).containsHeader("Idempotent-Replayed");
		}

	}

	/**
	 * Stands for a container that forgets a request: Tomcat does so over HTTP/2, once in
	 * hundreds of resets.
	 */
	@Configuration(proxyBeanMethods = false)
	static class LosingContainer {

		@Bean
		FilterRegistrationBean<Filter> losingFilter() {
			return register(IdempotencyFilter.DEFAULT_ORDER - 1, (request, response, chain) -> chain
				.doFilter(new LosingRequest((HttpServletRequest) request), response));
		}

	}

	private static FilterRegistrationBean<Filter> register(int order, Filter filter) {
		FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
		registration.setOrder(order);
		registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
		return registration;
	}

	private static final class LosingRequest extends HttpServletRequestWrapper {

		LosingRequest(HttpServletRequest request) {
			super(request);
		}

		@Override
		public AsyncContext startAsync() {
			return new LosingContext(super.startAsync());
		}

		@Override
		public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
			return new LosingContext(super.startAsync(request, response));
		}

		@Override
		public AsyncContext getAsyncContext() {
			return new LosingContext(super.getAsyncContext());
		}

	}

	private record LosingContext(AsyncContext context) implements AsyncContext {

		@Override
		public void dispatch() {
		}

		@Override
		public void dispatch(String path) {
		}

		@Override
		public void dispatch(@Nullable ServletContext context, String path) {
		}

		@Override
		public ServletRequest getRequest() {
			return this.context.getRequest();
		}

		@Override
		public ServletResponse getResponse() {
			return this.context.getResponse();
		}

		@Override
		public boolean hasOriginalRequestAndResponse() {
			return this.context.hasOriginalRequestAndResponse();
		}

		@Override
		public void complete() {
			this.context.complete();
		}

		@Override
		public void start(Runnable run) {
			this.context.start(run);
		}

		@Override
		public void addListener(AsyncListener listener) {
			this.context.addListener(listener);
		}

		@Override
		public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
			this.context.addListener(listener, request, response);
		}

		@Override
		public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
			return this.context.createListener(type);
		}

		@Override
		public void setTimeout(long timeout) {
			this.context.setTimeout(timeout);
		}

		@Override
		public long getTimeout() {
			return this.context.getTimeout();
		}

	}

}
