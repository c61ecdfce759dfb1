package dev.idempotency.client;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.client.Provider.Reply;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyKeyExchangeFilterTests {

	@AutoClose
	private final Provider provider = new Provider();

	private final Instance instance = new Instance();

	private final WebClient client = client(new IdempotencyKeyExchangeFilter());

	private WebClient client(IdempotencyKeyExchangeFilter filter) {
		return WebClient.builder()
			.clientConnector(new JdkClientHttpConnector())
			.baseUrl(this.provider.url())
			.filter(filter)
			.build();
	}

	private Mono<String> charge(Object body) {
		return this.client.post()
			.uri("/charges")
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue(body)
			.retrieve()
			.bodyToMono(String.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PUT", "PATCH", "DELETE" })
	void givesEachUnsafeCallAKeyOfItsOwn(String method) {
		for (int i = 0; i < 2; i++) {
			this.client.method(HttpMethod.valueOf(method)).uri("/charges").retrieve().toBodilessEntity().block();
		}
		assertThat(this.provider.keys()).hasSize(2)
			.doesNotHaveDuplicates()
			.allSatisfy((key) -> assertThat(UUID.fromString(key)).isNotNull());
	}

	@Test
	void givesSafeCallsNoneAndKeepsAKeyThatIsThere() {
		this.client.get().uri("/charges").retrieve().toBodilessEntity().block();
		this.client.post().uri("/charges").header("idempotency-key", "mine").retrieve().toBodilessEntity().block();
		assertThat(this.provider.keys()).containsExactly("", "mine");
	}

	@Test
	void callsTheHeaderWhatTheHostCallsIt() {
		WebClient paypal = client(new IdempotencyKeyExchangeFilter().withHeader("localhost", "PayPal-Request-Id"));
		paypal.post().uri("/charges").retrieve().toBodilessEntity().block();
		assertThat(this.provider.keys("PayPal-Request-Id")).first().asString().hasSize(36);
	}

	@Test
	void sendsTheSameKeysInEachAttemptAtAnOperation() {
		Runnable calls = () -> {
			charge("{\"amount\":5,\"to\":1}").block();
			charge("{\"amount\":6}").block();
			charge("{\"to\":1,\"amount\":5}").block();
			this.client.delete().uri("/charges").retrieve().toBodilessEntity().block();
		};
		this.instance.fail("1", calls);
		this.instance.run("1", calls);
		List<String> keys = this.provider.keys();
		assertThat(keys).hasSize(8);
		assertThat(keys.subList(0, 4)).doesNotHaveDuplicates().doesNotContain("").isEqualTo(keys.subList(4, 8));
		assertThat(this.provider.received()).extracting(Provider.Received::body)
			.startsWith("{\"amount\":5,\"to\":1}", "{\"amount\":6}");
	}

	@Test
	void sendsTheKeyThatOtherClientsWouldSend() {
		RestClient other = RestClient.builder()
			.baseUrl(this.provider.url())
			.requestInterceptor(new IdempotencyKeyClientInterceptor())
			.build();
		this.instance.fail("1", () -> charge(Map.of("amount", 5, "to", "a")).block());
		this.instance.run("1",
				() -> other.post()
					.uri("/charges")
					.contentType(MediaType.APPLICATION_JSON)
					.body(Map.of("amount", 5, "to", "a"))
					.retrieve()
					.toBodilessEntity());
		assertThat(this.provider.keys()).hasSize(2).containsOnly(this.provider.keys().get(0));
	}

	@Test
	void tellsStreamsApartByTheirOrder() {
		Runnable calls = () -> {
			for (String text : List.of("a", "b")) {
				this.client.post()
					.uri("/lines")
					.contentType(MediaType.APPLICATION_NDJSON)
					.body(Flux.just(Map.of("line", text), Map.of("line", text)), Map.class)
					.retrieve()
					.toBodilessEntity()
					.block();
			}
		};
		this.instance.fail("1", calls);
		this.instance.run("1", calls);
		List<String> keys = this.provider.keys();
		assertThat(keys).hasSize(4);
		assertThat(keys.subList(0, 2)).doesNotHaveDuplicates().doesNotContain("").isEqualTo(keys.subList(2, 4));
		assertThat(this.provider.received().get(1).body()).isEqualTo("{\"line\":\"b\"}\n{\"line\":\"b\"}\n");
	}

	@Test
	void findsTheOperationInTheContextOfTheSubscriber() {
		for (int attempt = 0; attempt < 2; attempt++) {
			this.instance.fail("1",
					() -> charge("{}").subscribeOn(Schedulers.boundedElastic())
						.contextWrite(Context.of(IdempotencyContext.class, IdempotencyContext.current()))
						.block());
		}
		assertThat(this.provider.keys()).hasSize(2).containsOnly(this.provider.keys().get(0));
	}

	@Test
	void keepsTheKeyWhenAFilterRetries() {
		this.provider.replying(Reply.lost(), Reply.lost());
		WebClient retrying = this.client.mutate()
			.filters((filters) -> filters.add(0, (request, next) -> next.exchange(request).retry(1)))
			.filter((request, next) -> next.exchange(request).retry(1))
			.build();
		retrying.post().uri("/charges").retrieve().toBodilessEntity().block();
		assertThat(this.provider.keys()).hasSize(3).containsOnly(this.provider.keys().get(0));
	}

}
