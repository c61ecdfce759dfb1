package dev.idempotency.web;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.StoredAnswers;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Webhooks of whose sender the application makes sure first, by a signature over the
 * bytes of the body.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookSignatureTests {

	@AutoClose
	private final TestServer server = TestServer
		.start(List.of(WebTestApplication.class, Inbox.class, Verification.class, Endpoints.class));

	/**
	 * Where a signature can be looked at.
	 */
	private enum Place {

		/**
		 * In a filter around ours.
		 */
		OUTSIDE,

		/**
		 * In a filter between ours and the handler.
		 */
		INSIDE,

		/**
		 * In an interceptor, for which a filter keeps the body.
		 */
		INTERCEPTED;

		private String path() {
			return "/" + name().toLowerCase(Locale.ROOT);
		}

	}

	private static Stream<Arguments> sendersAndPlaces() {
		return Arrays.stream(WebhookSender.values())
			.flatMap((sender) -> Arrays.stream(Place.values()).map((place) -> Arguments.of(sender, place)));
	}

	@ParameterizedTest
	@MethodSource("sendersAndPlaces")
	void aGenuineDeliveryRunsOnceAndItsHandlerGetsTheBytesThatWereSigned(WebhookSender sender, Place place) {
		String id = newId();
		Answer first = deliver(sender, place, id, 1);
		assertThat(first.status()).as("%s", first).isEqualTo(202);
		assertThat(inbox().payload(id)).isEqualTo(sender.payload(id, 1));
		Answer again = deliver(sender, place, id, 2);
		assertThat(again.isReplay()).as("%s", again).isTrue();
		assertThat(again.status()).isEqualTo(202);
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(runs(id)).isEqualTo(1);
		assertThat(remembered(sender, id)).isPresent();
	}

	@ParameterizedTest
	@MethodSource("sendersAndPlaces")
	void aForgeryIsNeitherRunNorRememberedAndLeavesTheIdToTheGenuineDelivery(WebhookSender sender, Place place) {
		String id = newId();
		for (int i = 1; i <= 2; i++) {
			assertThatItIsUnauthorized(forge(sender, place, id, i));
		}
		assertThat(runs(id)).isZero();
		assertThat(remembered(sender, id)).isEmpty();
		Answer genuine = deliver(sender, place, id, 3);
		assertThat(genuine.status()).as("%s", genuine).isEqualTo(202);
		assertThat(genuine.isReplay()).isFalse();
		assertThat(runs(id)).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("sendersAndPlaces")
	void aForgeryIsNotToldTheStoredAnswer(WebhookSender sender, Place place) {
		String id = newId();
		Answer genuine = deliver(sender, place, id, 1);
		Answer forgery = forge(sender, place, id, 2);
		assertThatItIsUnauthorized(forgery);
		assertThat(forgery.text()).doesNotContain(genuine.text());
		assertThat(deliver(sender, place, id, 3).body()).isEqualTo(genuine.body());
		assertThat(runs(id)).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("sendersAndPlaces")
	void aForgeryDoesNotDisturbTheGenuineDeliveryThatIsBeingHandled(WebhookSender sender, Place place) {
		String id = newId();
		CompletableFuture<Answer> genuine = inbox().hold(id,
				sender.delivery(this.server, place.path() + sender.path(), id, 1));
		assertThatItIsUnauthorized(forge(sender, place, id, 2));
		assertThat(genuine).isNotDone();
		inbox().letGo(id);
		assertThat(genuine.join().status()).isEqualTo(202);
		assertThat(deliver(sender, place, id, 3).isReplay()).isTrue();
		assertThat(runs(id)).isEqualTo(1);
	}

	/**
	 * As in the examples of many a sender. What was refused must not be stored then.
	 */
	@Test
	void aHandlerThatLooksAtTheSignatureItselfStoresOnlySuccess() {
		String id = newId();
		Answer forgery = WebhookSender.STRIPE.forgery(this.server, "/itself/stripe", id, 1).send();
		assertThat(forgery.status()).as("%s", forgery).isEqualTo(400);
		Answer genuine = WebhookSender.STRIPE.delivery(this.server, "/itself/stripe", id, 2).send();
		assertThat(genuine.status()).as("%s", genuine).isEqualTo(202);
		assertThat(genuine.isReplay()).isFalse();
		Answer again = WebhookSender.STRIPE.delivery(this.server, "/itself/stripe", id, 3).send();
		again.assertReplayOf(genuine);
		assertThat(runs(id)).isEqualTo(1);
	}

	private static String newId() {
		return "evt_" + TestServer.newKey();
	}

	private Answer deliver(WebhookSender sender, Place place, String id, int delivery) {
		return sender.delivery(this.server, place.path() + sender.path(), id, delivery).send();
	}

	private Answer forge(WebhookSender sender, Place place, String id, int delivery) {
		return sender.forgery(this.server, place.path() + sender.path(), id, delivery).send();
	}

	private Inbox inbox() {
		return this.server.bean(Inbox.class);
	}

	private int runs(String id) {
		return this.server.executions().of(id);
	}

	private Optional<Inspection> remembered(WebhookSender sender, String id) {
		return this.server.bean(InspectableStore.class)
			.find(IdempotencyKey.of("POST /{place}" + sender.path(), id).within("test"));
	}

	private static void assertThatItIsUnauthorized(Answer answer) {
		assertThat(answer.status()).as("%s", answer).isEqualTo(401);
		assertThat(answer.isReplay()).isFalse();
	}

	@RestController
	record Endpoints(Inbox inbox) {

		@PostMapping("/{place}/standard")
		@Idempotent(key = "header('webhook-id')")
		ResponseEntity<String> standard(@RequestBody byte[] payload, IdempotencyContext context) {
			return receive(payload, context);
		}

		@PostMapping("/{place}/github")
		@Idempotent(key = "header('X-GitHub-Delivery')")
		ResponseEntity<String> github(@RequestBody byte[] payload, IdempotencyContext context) {
			return receive(payload, context);
		}

		@PostMapping("/{place}/stripe")
		@Idempotent(key = "body('/id')", fingerprint = false)
		ResponseEntity<String> stripe(@RequestBody byte[] payload, IdempotencyContext context) {
			return receive(payload, context);
		}

		@PostMapping("/itself/stripe")
		@Idempotent(key = "body('/id')", fingerprint = false, store = StoredAnswers.SUCCESSFUL)
		ResponseEntity<String> itself(@RequestBody byte[] payload, HttpServletRequest request,
				IdempotencyContext context) {
			return WebhookSender.STRIPE.isGenuine(request, payload) ? receive(payload, context)
					: ResponseEntity.badRequest().build();
		}

		private ResponseEntity<String> receive(byte[] payload, IdempotencyContext context) {
			return ResponseEntity.accepted().body(this.inbox.receive(context.key().value(), payload));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Verification implements WebMvcConfigurer {

		@Bean
		FilterRegistrationBean<Filter> outside() {
			return registration(new SignatureFilter(), Place.OUTSIDE, Ordered.HIGHEST_PRECEDENCE);
		}

		@Bean
		FilterRegistrationBean<Filter> inside() {
			return registration(new SignatureFilter(), Place.INSIDE, Ordered.LOWEST_PRECEDENCE);
		}

		@Bean
		FilterRegistrationBean<Filter> keeper() {
			return registration(
					(request, response, chain) -> chain.doFilter(new KeptBody((HttpServletRequest) request), response),
					Place.INTERCEPTED, Ordered.LOWEST_PRECEDENCE);
		}

		private static FilterRegistrationBean<Filter> registration(Filter filter, Place place, int order) {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
			registration.addUrlPatterns(place.path() + "/*");
			registration.setOrder(order);
			registration.setName(place.name());
			return registration;
		}

		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry.addInterceptor(new SignatureInterceptor()).addPathPatterns(Place.INTERCEPTED.path() + "/*");
		}

	}

	private static final class SignatureFilter extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			// The handler reads the body too, so keep it
			KeptBody kept = new KeptBody(request);
			if (isGenuine(request, kept.body)) {
				chain.doFilter(kept, response);
			}
			else {
				response.sendError(401);
			}
		}

		private static boolean isGenuine(HttpServletRequest request, byte[] body) {
			return WebhookSender.of(request).isGenuine(request, body);
		}

	}

	private static final class SignatureInterceptor implements HandlerInterceptor {

		@Override
		public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
				throws IOException {
			boolean genuine = WebhookSender.of(request).isGenuine(request, request.getInputStream().readAllBytes());
			if (!genuine) {
				response.sendError(401);
			}
			return genuine;
		}

	}

	/**
	 * Gives out its body as often as it is asked for.
	 */
	private static final class KeptBody extends HttpServletRequestWrapper {

		private final byte[] body;

		private KeptBody(HttpServletRequest request) throws IOException {
			super(request);
			this.body = request.getInputStream().readAllBytes();
		}

		@Override
		public ServletInputStream getInputStream() {
			return new Bytes(new ByteArrayInputStream(this.body));
		}

		@Override
		public BufferedReader getReader() {
			return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
		}

	}

	private static final class Bytes extends ServletInputStream {

		private final ByteArrayInputStream bytes;

		private Bytes(ByteArrayInputStream bytes) {
			this.bytes = bytes;
		}

		@Override
		public int read() {
			return this.bytes.read();
		}

		@Override
		public int read(byte[] target, int offset, int length) {
			return this.bytes.read(target, offset, length);
		}

		@Override
		public boolean isFinished() {
			return this.bytes.available() == 0;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new UnsupportedOperationException();
		}

	}

}
