package dev.idempotency.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.Idempotent;
import dev.idempotency.ai.IdempotentTools;
import dev.idempotency.ai.ToolOptions;
import dev.idempotency.ai.ToolSession;
import dev.idempotency.client.Client.Charges;
import dev.idempotency.client.Provider.Reply;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.web.Answer;
import dev.idempotency.web.IdempotencyRouteFilter;
import dev.idempotency.web.TestServer;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Every client in every place: the keys that a provider gets when a call fails and is
 * retried, when an equal one is made on purpose, and when the operation is repeated.
 */
class ClientsEverywhereTests {

	private static final Map<String, Object> FIVE = Map.of("amount", 5);

	private static final Map<String, Object> SIX = Map.of("amount", 6);

	private static Provider provider;

	@BeforeAll
	static void open() {
		provider = new Provider();
	}

	@AfterAll
	static void close() {
		provider.close();
	}

	@ParameterizedTest
	@CsvSource({ "servlet, idempotency.enabled=true", "servlet, idempotency.enabled=false",
			"reactive, idempotency.enabled=true", "reactive, idempotency.enabled=false" })
	void sendTheKeysOfTheirOperations(String stack, String setting) {
		boolean servlet = "servlet".equals(stack);
		SoftAssertions keys = new SoftAssertions();
		try (TestServer server = servlet ? TestServer.start(List.of(Servlet.class), setting, Work.SETTING)
				: TestServer.startReactive(List.of(Reactive.class), setting, Work.SETTING)) {
			for (Place place : Place.values()) {
				for (String client : server.bean(Work.class).clients.keySet()) {
					boolean off = setting.endsWith("false");
					String path = "/%s?client=%s".formatted(place, client);
					keys.assertThat(check(server, path))
						.as("%s, %s: %s", stack, setting, path)
						.isEqualTo((off && client.startsWith("BUILT")) ? Keys.NONE : place.expected(off));
				}
			}
		}
		keys.assertAll();
	}

	private static Keys check(TestServer server, String path) {
		String key = TestServer.newKey();
		int first = provider.received().size();
		provider.replying(Reply.lost());
		Answer failed = server.post(path + "&key=" + key).key(key).send();
		Answer retried = server.post(path + "&key=" + key).key(key).send();
		return (failed.status() == 500 && "charged".equals(retried.text()))
				? Keys.of(provider.keys().subList(first, provider.received().size())) : Keys.WRONG;
	}

	/**
	 * Where a client is used.
	 */
	enum Place {

		ANNOTATED, MONO, CALLABLE, FUNCTIONAL, STEP, METHOD, REACTIVE_METHOD, SESSION, TOOL, PLAIN;

		Keys expected(boolean off) {
			if (this == PLAIN) {
				return Keys.RANDOM;
			}
			return (off && (this == SESSION || this == TOOL)) ? Keys.OF_EACH_ATTEMPT : Keys.OF_OPERATION;
		}

	}

	/**
	 * The keys of a call that fails, its retry, an equal call and another call, and then
	 * of these calls without the failure, in another attempt.
	 */
	enum Keys {

		OF_OPERATION("0012012"), OF_EACH_ATTEMPT("0012345"), RANDOM("0123456"), NONE("0000000"), WRONG("");

		private final String pattern;

		Keys(String pattern) {
			this.pattern = pattern;
		}

		static Keys of(List<String> keys) {
			List<String> distinct = keys.stream().distinct().toList();
			String pattern = keys.stream()
				.map((key) -> String.valueOf(distinct.indexOf(key)))
				.collect(Collectors.joining());
			return Arrays.stream(values())
				.filter((one) -> one.pattern.equals(pattern) && keys.contains("") == (one == NONE))
				.findFirst()
				.orElse(WRONG);
		}

	}

	/**
	 * What is done in each place.
	 */
	static class Work {

		static final String SETTING = "idempotency.client.enabled=true";

		final Map<String, Charges> clients = new LinkedHashMap<>();

		private final Set<String> begun = ConcurrentHashMap.newKeySet();

		Work(ObjectProvider<RestClientCustomizer> forRestClients, ObjectProvider<RestTemplateCustomizer> forTemplates) {
			for (Client client : Client.values()) {
				this.clients.put(client.name(), client.at(provider.url()));
			}
			RestClient.Builder builder = RestClient.builder().baseUrl(provider.url());
			forRestClients.forEach((customizer) -> customizer.customize(builder));
			RestClient built = builder.build();
			this.clients.put("BUILT_REST_CLIENT", (charge) -> Mono
				.fromCallable(() -> built.post().uri("/charges").body(charge).retrieve().body(String.class)));
			RestTemplate template = new RestTemplateBuilder(
					forTemplates.stream().toArray(RestTemplateCustomizer[]::new))
				.build();
			this.clients.put("BUILT_REST_TEMPLATE", (charge) -> Mono
				.fromCallable(() -> template.postForObject(provider.url() + "/charges", charge, String.class)));
		}

		private static boolean isBlocking(String client) {
			return client.startsWith("BUILT") || Client.valueOf(client).isBlocking();
		}

		private Mono<String> charges(String client, String key) {
			Charges charges = Objects.requireNonNull(this.clients.get(client));
			Mono<String> call = charges.charge(FIVE);
			Mono<String> retried = isBlocking(client) ? call.onErrorResume((ex) -> call)
					: call.retryWhen(Retry.fixedDelay(1, Duration.ofMillis(1)));
			return retried.then(charges.charge(FIVE)).then(charges.charge(SIX)).then(Mono.fromCallable(() -> {
				if (this.begun.add(key)) {
					throw new IllegalStateException("failed");
				}
				return "charged";
			}));
		}

		String blocking(String client, String key) {
			return Objects.requireNonNull(charges(client, key).block());
		}

		Mono<String> reactive(String client, String key) {
			if (!isBlocking(client)) {
				return charges(client, key);
			}
			return ReactiveIdempotencyContext.find()
				.map(Optional::of)
				.defaultIfEmpty(Optional.empty())
				.flatMap((operation) -> elsewhere(() -> {
					Binding binding = operation.map(IdempotencyContext::makeCurrent).orElse(() -> {
					});
					try (binding) {
						return blocking(client, key);
					}
				}));
		}

		static Mono<String> elsewhere(Supplier<String> work) {
			// Not from a Callable, which would interrupt its thread when it fails
			return Mono.defer(() -> Mono.just(work.get())).subscribeOn(Schedulers.boundedElastic());
		}

	}

	/**
	 * Places that both stacks have.
	 */
	static class Operations {

		private final Work work;

		private final Idempotency idempotency;

		private final IdempotentTools tools;

		Operations(Work work, Idempotency idempotency, IdempotentTools tools) {
			this.work = work;
			this.idempotency = idempotency;
			this.tools = tools;
		}

		@Idempotent(key = "#key")
		String method(String client, String key) {
			return this.work.blocking(client, key);
		}

		@Idempotent(key = "#key")
		Mono<String> reactiveMethod(String client, String key) {
			return this.work.reactive(client, key);
		}

		String session(String client, String key) {
			return this.idempotency.session(key)
				.run("charge", client, String.class, () -> this.work.blocking(client, key));
		}

		String tool(String client, String key) {
			ToolCallback tool = FunctionToolCallback
				.builder("charge", (Map<String, Object> input) -> this.work.blocking(client, key))
				.description("charges")
				.inputType(Map.class)
				.build();
			this.tools.wrap(tool, ToolOptions.defaults())
				.call("{}", new ToolContext(Map.of(ToolSession.DEFAULT_ENTRY, key)));
			return "charged";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Work.class, Operations.class, ServletHandlers.class })
	static class Servlet {

		@Bean
		RouterFunction<ServerResponse> routes(IdempotencyRouteFilter idempotency, Work work) {
			return RouterFunctions.route()
				.POST("/FUNCTIONAL",
						(request) -> ServerResponse.ok()
							.body(work.blocking(request.param("client").orElseThrow(),
									request.param("key").orElseThrow())))
				.filter(idempotency)
				.build();
		}

	}

	@RestController
	static class ServletHandlers {

		private final Work work;

		private final Operations operations;

		ServletHandlers(Work work, Operations operations) {
			this.work = work;
			this.operations = operations;
		}

		@PostMapping("/PLAIN")
		String plain(String client, String key) {
			return this.work.blocking(client, key);
		}

		@PostMapping("/ANNOTATED")
		@Idempotent
		String annotated(String client, String key) {
			return this.work.blocking(client, key);
		}

		@PostMapping("/MONO")
		@Idempotent
		Mono<String> mono(String client, String key) {
			return this.work.charges(client, key);
		}

		@PostMapping("/CALLABLE")
		@Idempotent
		Callable<String> callable(String client, String key) {
			return () -> this.work.blocking(client, key);
		}

		@PostMapping("/STEP")
		@Idempotent
		String step(String client, String key, IdempotencyContext context) {
			return context.steps().run("charge", String.class, () -> this.work.blocking(client, key));
		}

		@PostMapping("/METHOD")
		String method(String client, String key) {
			return this.operations.method(client, key);
		}

		@PostMapping("/REACTIVE_METHOD")
		Mono<String> reactiveMethod(String client, String key) {
			return this.operations.reactiveMethod(client, key);
		}

		@PostMapping("/SESSION")
		String session(String client, String key) {
			return this.operations.session(client, key);
		}

		@PostMapping("/TOOL")
		String tool(String client, String key) {
			return this.operations.tool(client, key);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Work.class, Operations.class, ReactiveHandlers.class })
	static class Reactive {

		@Bean
		org.springframework.web.reactive.function.server.RouterFunction<?> routes(
				ReactiveIdempotencyRouteFilter idempotency, Work work) {
			return org.springframework.web.reactive.function.server.RouterFunctions.route()
				.POST("/FUNCTIONAL",
						(request) -> work
							.reactive(request.queryParam("client").orElseThrow(),
									request.queryParam("key").orElseThrow())
							.flatMap(org.springframework.web.reactive.function.server.ServerResponse.ok()::bodyValue))
				.filter(idempotency)
				.build();
		}

	}

	@RestController
	static class ReactiveHandlers {

		private final Work work;

		private final Operations operations;

		ReactiveHandlers(Work work, Operations operations) {
			this.work = work;
			this.operations = operations;
		}

		@PostMapping("/PLAIN")
		Mono<String> plain(String client, String key) {
			return this.work.reactive(client, key);
		}

		@PostMapping("/ANNOTATED")
		@Idempotent
		Mono<String> annotated(String client, String key) {
			return this.work.reactive(client, key);
		}

		@PostMapping("/MONO")
		@Idempotent
		Mono<String> mono(String client, String key, IdempotencyContext context) {
			return this.work.reactive(client, key).subscribeOn(Schedulers.parallel());
		}

		@PostMapping("/CALLABLE")
		@Idempotent
		Mono<String> callable(String client, String key, IdempotencyContext context) {
			return Work.elsewhere(() -> {
				Binding binding = context.makeCurrent();
				try (binding) {
					return this.work.blocking(client, key);
				}
			});
		}

		@PostMapping("/STEP")
		@Idempotent
		Mono<String> step(String client, String key) {
			return ReactiveIdempotencyContext.steps().run("charge", String.class, this.work.reactive(client, key));
		}

		@PostMapping("/METHOD")
		Mono<String> method(String client, String key) {
			return Work.elsewhere(() -> this.operations.method(client, key));
		}

		@PostMapping("/REACTIVE_METHOD")
		Mono<String> reactiveMethod(String client, String key) {
			return this.operations.reactiveMethod(client, key);
		}

		@PostMapping("/SESSION")
		Mono<String> session(String client, String key) {
			return Work.elsewhere(() -> this.operations.session(client, key));
		}

		@PostMapping("/TOOL")
		Mono<String> tool(String client, String key) {
			return Work.elsewhere(() -> this.operations.tool(client, key));
		}

	}

}
