package dev.idempotency.client;

import java.util.Map;

import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.invoker.HttpExchangeAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * Every kind of client, with keys. One that blocks is called when its {@code Mono} is
 * subscribed to, on that thread.
 */
enum Client {

	REST_CLIENT, REST_TEMPLATE, INTERFACE_OVER_REST_CLIENT, INTERFACE_OVER_WEB_CLIENT, REACTIVE_INTERFACE, WEB_CLIENT;

	Charges at(String url) {
		return switch (this) {
			case REST_CLIENT -> {
				RestClient client = restClient(url);
				yield (charge) -> Mono
					.fromCallable(() -> client.post().uri("/charges").body(charge).retrieve().body(String.class));
			}
			case REST_TEMPLATE -> {
				RestTemplate client = restTemplate();
				yield (charge) -> Mono.fromCallable(() -> client.postForObject(url + "/charges", charge, String.class));
			}
			case INTERFACE_OVER_REST_CLIENT ->
				blocking(proxy(RestClientAdapter.create(restClient(url)), ChargeService.class));
			case INTERFACE_OVER_WEB_CLIENT ->
				blocking(proxy(WebClientAdapter.create(webClient(url)), ChargeService.class));
			case REACTIVE_INTERFACE -> {
				ReactiveChargeService client = proxy(WebClientAdapter.create(webClient(url)),
						ReactiveChargeService.class);
				yield (charge) -> client.charge(charge).map(Map::toString);
			}
			case WEB_CLIENT -> {
				WebClient client = webClient(url);
				yield (charge) -> client.post().uri("/charges").bodyValue(charge).retrieve().bodyToMono(String.class);
			}
		};
	}

	private static <T> T proxy(HttpExchangeAdapter adapter, Class<T> type) {
		return HttpServiceProxyFactory.builderFor(adapter).build().createClient(type);
	}

	private static Charges blocking(ChargeService client) {
		return (charge) -> Mono.fromCallable(() -> client.charge(charge).toString());
	}

	static RestClient restClient(String url) {
		return RestClient.builder()
			.baseUrl(url)
			.requestFactory(new JdkClientHttpRequestFactory())
			.requestInterceptor(new IdempotencyKeyClientInterceptor())
			.build();
	}

	static RestTemplate restTemplate() {
		RestTemplate template = new RestTemplate(new JdkClientHttpRequestFactory());
		template.getInterceptors().add(new IdempotencyKeyClientInterceptor());
		return template;
	}

	static WebClient webClient(String url) {
		return WebClient.builder()
			.clientConnector(new ReactorClientHttpConnector(HttpClient.create().disableRetry(true)))
			.codecs((codecs) -> codecs.defaultCodecs().maxInMemorySize(4 << 20))
			.baseUrl(url)
			.filter(new IdempotencyKeyExchangeFilter())
			.build();
	}

	/**
	 * Whether it blocks the thread that subscribes.
	 */
	boolean isBlocking() {
		return this != WEB_CLIENT && this != REACTIVE_INTERFACE;
	}

	/**
	 * Calls a provider.
	 */
	interface Charges {

		Mono<String> charge(Map<String, Object> charge);

	}

}
