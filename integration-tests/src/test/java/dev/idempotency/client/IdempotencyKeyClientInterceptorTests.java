package dev.idempotency.client;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.client.Provider.Reply;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyKeyClientInterceptorTests {

	@AutoClose
	private final Provider provider = new Provider();

	private final Instance instance = new Instance();

	private final RestClient client = client(new IdempotencyKeyClientInterceptor());

	private RestClient client(IdempotencyKeyClientInterceptor interceptor) {
		return RestClient.builder().baseUrl(this.provider.url()).requestInterceptor(interceptor).build();
	}

	private void charge(String path, String json) {
		this.client.post().uri(path).contentType(MediaType.APPLICATION_JSON).body(json).retrieve().body(String.class);
	}

	private void charge() {
		charge("/charges", "{\"amount\":5}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PUT", "PATCH", "DELETE" })
	void givesEachUnsafeCallAKeyOfItsOwn(String method) {
		for (int i = 0; i < 2; i++) {
			this.client.method(HttpMethod.valueOf(method)).uri("/charges").retrieve().toBodilessEntity();
		}
		assertThat(this.provider.keys()).hasSize(2)
			.doesNotHaveDuplicates()
			.allSatisfy((key) -> assertThat(UUID.fromString(key)).isNotNull());
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "HEAD", "OPTIONS" })
	void givesSafeCallsNone(String method) {
		this.client.method(HttpMethod.valueOf(method)).uri("/charges").retrieve().toBodilessEntity();
		assertThat(this.provider.keys()).containsExactly("");
	}

	@Test
	void keepsAKeyThatIsThere() {
		this.client.post().uri("/charges").header("idempotency-key", "mine").retrieve().toBodilessEntity();
		assertThat(this.provider.keys()).containsExactly("mine");
	}

	@Test
	void callsTheHeaderWhatTheHostCallsIt() {
		RestClient paypal = client(new IdempotencyKeyClientInterceptor().withHeader("LOCALHOST", "PayPal-Request-Id"));
		paypal.post().uri("/charges").retrieve().toBodilessEntity();
		assertThat(this.provider.keys("PayPal-Request-Id")).first().asString().hasSize(36);
		assertThat(this.provider.keys()).containsExactly("");
	}

	@Test
	void sendsTheSameKeyInEachAttemptAtAnOperation() {
		this.instance.fail("1", this::charge);
		this.instance.run("1", this::charge);
		assertThat(this.provider.keys()).hasSize(2)
			.containsOnly(this.provider.keys().get(0))
			.allMatch((key) -> key.matches("ik_[0-9a-f]{32}"));
	}

	@Test
	void tellsOperationsApart() {
		this.instance.run("1", this::charge);
		this.instance.run("2", this::charge);
		assertThat(this.provider.keys()).hasSize(2).doesNotHaveDuplicates();
	}

	@Test
	void tellsCallsApart() {
		Runnable calls = () -> {
			charge("/charges", "{\"amount\":5}");
			charge("/charges", "{\"amount\":6}");
			charge("/charges?shop=1", "{\"amount\":5}");
			this.client.put()
				.uri("/charges")
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"amount\":5}")
				.retrieve()
				.toBodilessEntity();
		};
		this.instance.fail("1", calls);
		this.instance.run("1", calls);
		List<String> keys = this.provider.keys();
		assertThat(keys.subList(0, 4)).doesNotHaveDuplicates().isEqualTo(keys.subList(4, 8));
	}

	@Test
	void tellsACallThatIsRepeatedOnPurposeFromTheFirst() {
		Runnable calls = () -> {
			charge();
			charge("/refunds", "{\"amount\":5}");
			charge();
		};
		this.instance.fail("1", calls);
		this.instance.run("1", calls);
		List<String> keys = this.provider.keys();
		assertThat(keys.subList(0, 3)).doesNotHaveDuplicates().isEqualTo(keys.subList(3, 6));
	}

	@Test
	void doesNotMindHowTheJsonIsWritten() {
		this.instance.fail("1", () -> charge("/charges", "{\"amount\":5,\"to\":{\"b\":1,\"a\":[2.0]}}"));
		this.instance.run("1", () -> charge("/charges", "{ \"to\":{\"a\":[2],\"b\":1}, \"amount\":5 }"));
		assertThat(this.provider.keys()).hasSize(2).containsOnly(this.provider.keys().get(0));
	}

	@Test
	void countsEveryByteOfWhatIsNoJson() {
		this.instance.run("1", () -> {
			charge("/charges", "{");
			charge("/charges", "{ ");
		});
		assertThat(this.provider.keys()).hasSize(2).doesNotHaveDuplicates();
	}

	@Test
	void doesNotMindTheBoundaryOfForms() {
		LinkedMultiValueMap<String, Object> form = new LinkedMultiValueMap<>();
		form.add("file", "content");
		Runnable upload = () -> this.client.post()
			.uri("/files")
			.contentType(MediaType.MULTIPART_FORM_DATA)
			.body(form)
			.retrieve()
			.toBodilessEntity();
		this.instance.fail("1", upload);
		this.instance.run("1", upload);
		assertThat(this.provider.received().get(0).body()).isNotEqualTo(this.provider.received().get(1).body());
		assertThat(this.provider.keys()).containsOnly(this.provider.keys().get(0));
	}

	@Test
	void keepsTheKeyWhenAnInterceptorBeforeItRetries() {
		RestClient retrying = this.client.mutate().requestInterceptors((all) -> all.add(0, (request, body, next) -> {
			next.execute(request, body).close();
			return next.execute(request, body);
		})).build();
		Runnable call = () -> retrying.post().uri("/charges").retrieve().toBodilessEntity();
		this.provider.replying(Reply.of(503), Reply.of(200), Reply.of(503));
		this.instance.run("1", () -> {
			call.run();
			call.run();
		});
		call.run();
		List<String> keys = this.provider.keys();
		assertThat(keys).hasSize(6);
		assertThat(keys.get(1)).isEqualTo(keys.get(0)).isNotEqualTo(keys.get(2));
		assertThat(keys.get(3)).isEqualTo(keys.get(2));
		assertThat(keys.get(5)).isEqualTo(keys.get(4));
	}

	@Test
	void givesEqualCallsAtTheSameTimeDifferentKeys() {
		for (int attempt = 0; attempt < 2; attempt++) {
			this.instance.fail("1", () -> {
				IdempotencyContext context = IdempotencyContext.current();
				CompletableFuture.allOf(IntStream.range(0, 8).mapToObj((i) -> CompletableFuture.runAsync(() -> {
					IdempotencyContext.Binding binding = context.makeCurrent();
					try (binding) {
						charge();
					}
				})).toArray(CompletableFuture[]::new)).join();
			});
		}
		List<String> keys = this.provider.keys();
		Set<String> first = new TreeSet<>(keys.subList(0, 8));
		assertThat(first).hasSize(8).isEqualTo(new TreeSet<>(keys.subList(8, 16)));
	}

	@Test
	void countsAnewInEachStep() {
		Runnable calls = () -> {
			IdempotencyContext context = IdempotencyContext.current();
			charge();
			context.steps().run("charge", String.class, () -> {
				charge();
				return "charged";
			});
		};
		this.instance.fail("1", calls);
		this.instance.fail("1", calls);
		List<String> keys = this.provider.keys();
		assertThat(keys).as("the step is not run again").hasSize(3);
		assertThat(keys.get(0)).isEqualTo(keys.get(2)).isNotEqualTo(keys.get(1));
	}

	@Test
	void sendsTheSameKeyInEachAttemptAtAStep() {
		this.provider.replying(Reply.lost());
		Runnable step = () -> IdempotencyContext.current().steps().run("charge", String.class, () -> {
			charge();
			return "charged";
		});
		assertThatExceptionOfType(RestClientException.class).isThrownBy(() -> this.instance.run("1", step));
		this.instance.run("1", step);
		assertThat(this.provider.keys()).hasSize(2).containsOnly(this.provider.keys().get(0));
	}

}
