package dev.idempotency.web;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.RecordState;
import dev.idempotency.ai.IdempotentTools;
import dev.idempotency.ai.ToolOptions;
import dev.idempotency.ai.ToolSession;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.SearchableStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the next attempt is after each failure, at each edge, with each store.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnknownOutcomeTests {

	private static final String[] ON_H2 = { TestServer.WITH_SHARED_DATABASE, "idempotency.store=jdbc",
			"idempotency.jdbc.initialize-schema=always" };

	@AutoClose
	private final RedisServerProcess redis = RedisServerProcess.start();

	@AutoClose
	private final Servers servers = new Servers();

	private static Stream<Cell> cells() {
		return Stream.of(Place.values())
			.flatMap((place) -> Stream.of(Edge.values())
				.filter(place::has)
				.flatMap((edge) -> Stream.of(OnCrash.values())
					.flatMap((onCrash) -> Stream.of(Failure.values())
						.map((failure) -> new Cell(place, edge, onCrash, failure)))));
	}

	@ParameterizedTest
	@MethodSource("cells")
	void tellsTheNextAttemptWhatIsUnknown(Cell cell) throws Exception {
		TestServer server = this.servers.of(cell.place, this.redis);
		String key = cell.failure + "-" + UUID.randomUUID();
		String operation = cell.onCrash + "/" + cell.edge;
		String first = attempt(server, cell.edge, operation, key);
		assertThat(first).isEqualTo((cell.failure == Failure.SAYS_SO) ? "ran" : "failed");
		if (cell.isUnknown() && cell.edge.hasKeyOfItsOwn()) {
			RecordSummary record = recordOf(server, key);
			assertThat(record.state()).isEqualTo(RecordState.REPORTED_UNKNOWN);
		}
		String second = attempt(server, cell.edge, operation, key);
		boolean again = !cell.isRefused() && !cell.isReplayed();
		assertThat(second).isEqualTo(
				cell.isRefused() ? "refused" : (cell.isReplayed() && cell.edge.isHandler()) ? "replayed" : "ran");
		assertThat(server.bean(Bank.class).attempts(key))
			.isEqualTo(!again ? List.of("1") : cell.isUnknown() ? List.of("1", "2 knows") : List.of("1", "1"));
	}

	private static RecordSummary recordOf(TestServer server, String key) {
		return ((SearchableStore) server.bean(IdempotencyStore.class)).search(RecordFilter.all("test"), 0, 1)
			.records()
			.stream()
			.filter((it) -> it.key().key().contains(key))
			.findFirst()
			.orElseThrow();
	}

	private static String attempt(TestServer server, Edge edge, String operation, String key) throws Exception {
		if (edge.isHandler()) {
			Answer answer = server.post("/" + operation).key(key).send();
			if (answer.isReplay()) {
				return "replayed";
			}
			return (answer.status() < 300) ? "ran"
					: answer.text().contains("urn:idempotency:outcome-unknown") ? "refused" : "failed";
		}
		try {
			server.bean(Calls.class).call(edge, OnCrash.valueOf(operation.substring(0, operation.indexOf('/'))), key);
			return "ran";
		}
		catch (OutcomeUnknownException ex) {
			return "refused";
		}
		catch (Exception ex) {
			return (ex.getCause() instanceof OutcomeUnknownException) ? "refused" : "failed";
		}
	}

	private record Cell(Place place, Edge edge, OnCrash onCrash, Failure failure) {

		/**
		 * A response that is stored is known. So is the operation of a step that reports
		 * something about itself, and returns.
		 */
		private boolean isReplayed() {
			return (this.failure == Failure.REJECTED && this.edge.isHandler())
					|| (this.failure == Failure.SAYS_SO && this.edge == Edge.STEP);
		}

		private boolean isUnknown() {
			boolean byType = this.failure.unknown && !this.edge.transactional
					&& (this.failure != Failure.OWN_TYPE || this.edge.isAnnotated());
			return !isReplayed() && (this.failure.says || byType);
		}

		/**
		 * What a step reports is about the step, which runs again by default.
		 */
		private boolean isRefused() {
			return isUnknown() && this.onCrash == OnCrash.REFUSE
					&& !(this.failure == Failure.SAYS_SO_AND_FAILS && this.edge == Edge.STEP);
		}

		@Override
		public String toString() {
			return "%s, %s, %s, %s".formatted(this.place, this.edge, this.onCrash, this.failure);
		}

	}

	private enum Place {

		SERVLET_AND_MEMORY, SERVLET_AND_H2, SERVLET_AND_REDIS, WEBFLUX_AND_MEMORY, WEBFLUX_AND_H2, WEBFLUX_AND_REDIS;

		private boolean isReactive() {
			return name().startsWith("WEBFLUX");
		}

		private boolean has(Edge edge) {
			return edge.transactional ? this == SERVLET_AND_H2 : (edge.isHandler() || !isReactive());
		}

		private TestServer start(RedisServerProcess redis) {
			List<Class<?>> sources = new ArrayList<>(
					List.of(WebTestApplication.class, Bank.class, Handlers.class, Methods.class, Calls.class));
			String[] store = name().endsWith("MEMORY") ? new String[0] : name().endsWith("H2") ? ON_H2 : new String[] {
					TestServer.WITH_SHARED_REDIS, "spring.data.redis.port=" + redis.port(), "idempotency.store=redis" };
			if (this == SERVLET_AND_H2) {
				sources.addAll(List.of(TransactionalHandlers.class, TransactionalMethods.class));
			}
			return isReactive() ? Reactive.start(sources, store) : TestServer.start(sources, store);
		}

	}

	/**
	 * One application for each place, started by its first cell.
	 */
	private static final class Servers implements AutoCloseable {

		private final Map<Place, TestServer> started = new ConcurrentHashMap<>();

		private TestServer of(Place place, RedisServerProcess redis) {
			return this.started.computeIfAbsent(place, (it) -> it.start(redis));
		}

		@Override
		public void close() {
			this.started.values().forEach(TestServer::close);
		}

	}

	private enum Edge {

		HANDLER(false), FUTURE_HANDLER(false), MONO_HANDLER(false), TRANSACTIONAL_HANDLER(true), METHOD(false),
		FUTURE_METHOD(false), MONO_METHOD(false), TRANSACTIONAL_METHOD(true), TEMPLATE(false), STEP(false),
		SESSION(false), TOOL(false);

		private final boolean transactional;

		Edge(boolean transactional) {
			this.transactional = transactional;
		}

		private boolean isHandler() {
			return name().endsWith("HANDLER");
		}

		private boolean hasKeyOfItsOwn() {
			return this != STEP && this != SESSION && this != TOOL;
		}

		private boolean isAnnotated() {
			return isHandler() || name().endsWith("METHOD");
		}

	}

	/**
	 * How the first attempt ends.
	 */
	enum Failure {

		SAYS_SO(true, true) {
			@Override
			Exception exception() {
				throw new IllegalStateException("It returns");
			}
		},

		SAYS_SO_AND_FAILS(true, true) {
			@Override
			Exception exception() {
				return new IllegalStateException("bug");
			}
		},

		READ_TIMEOUT(true, false) {
			@Override
			Exception exception() {
				return new IllegalStateException(new SocketTimeoutException("Read timed out"));
			}
		},

		HTTP_TIMEOUT(true, false) {
			@Override
			Exception exception() {
				return new HttpTimeoutException("request timed out");
			}
		},

		TIMEOUT(true, false) {
			@Override
			Exception exception() {
				return new ExecutionException(new TimeoutException());
			}
		},

		LOST_REPLY(true, false) {
			@Override
			Exception exception() {
				return new ResourceAccessException("I/O error", new SocketTimeoutException("Read timed out"));
			}
		},

		REACTIVE_CLIENT(true, false) {
			@Override
			Exception exception() {
				return new WebClientRequestException(new IOException("Connection reset"), HttpMethod.POST,
						URI.create("http://bank"), new HttpHeaders());
			}
		},

		OWN_TYPE(true, false) {
			@Override
			Exception exception() {
				return new IllegalStateException(new BankIsSilentException());
			}
		},

		GATEWAY_TIMEOUT(true, false) {
			@Override
			Exception exception() {
				return new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT, "silent", new TimeoutException());
			}
		},

		REJECTED(true, false) {
			@Override
			Exception exception() {
				return new ResponseStatusException(HttpStatus.UNPROCESSABLE_CONTENT, "no", new TimeoutException());
			}
		},

		NO_CONNECTION(false, false) {
			@Override
			Exception exception() {
				return new ResourceAccessException("I/O error", new ConnectException("Connection refused"));
			}
		},

		BUG(false, false) {
			@Override
			Exception exception() {
				return new IllegalArgumentException("bug");
			}
		};

		private final boolean unknown;

		private final boolean says;

		Failure(boolean unknown, boolean says) {
			this.unknown = unknown;
			this.says = says;
		}

		abstract Exception exception();

	}

	static class BankIsSilentException extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

	/**
	 * The work, which fails for the first attempt as its key says.
	 */
	static class Bank {

		private final Map<String, List<String>> attempts = new ConcurrentHashMap<>();

		private List<String> attempts(String key) {
			return this.attempts.getOrDefault(key, List.of());
		}

		String pay(IdempotencyContext context, String key) throws Exception {
			List<String> all = this.attempts.computeIfAbsent(key, (it) -> new CopyOnWriteArrayList<>());
			all.add(context.attempt() + (context.mayHaveRun() ? " knows" : ""));
			if (all.size() > 1) {
				return "paid";
			}
			Failure failure = Failure.valueOf(key.substring(0, key.indexOf('-')));
			if (failure.says) {
				context.outcomeUnknown();
			}
			if (failure == Failure.SAYS_SO) {
				return "perhaps";
			}
			throw failure.exception();
		}

		CompletableFuture<String> payLater(IdempotencyContext context, String key) {
			return CompletableFuture.supplyAsync(() -> null).thenCompose((nothing) -> {
				try {
					return CompletableFuture.completedFuture(pay(context, key));
				}
				catch (Exception ex) {
					return CompletableFuture.failedFuture(ex);
				}
			});
		}

		Mono<String> payReactively(IdempotencyContext context, String key) {
			return Mono.fromCallable(() -> pay(context, key));
		}

	}

	@RestController
	static class Handlers {

		private final Bank bank;

		Handlers(Bank bank) {
			this.bank = bank;
		}

		@PostMapping("/RETRY/HANDLER")
		@Idempotent(unknownOn = BankIsSilentException.class)
		String retry(IdempotencyContext context) throws Exception {
			return this.bank.pay(context, context.key().value());
		}

		@PostMapping("/REFUSE/HANDLER")
		@Idempotent(unknownOn = BankIsSilentException.class, onCrash = OnCrash.REFUSE)
		String refuse(IdempotencyContext context) throws Exception {
			return this.bank.pay(context, context.key().value());
		}

		@PostMapping("/RETRY/FUTURE_HANDLER")
		@Idempotent(unknownOn = BankIsSilentException.class)
		CompletableFuture<String> retryLater(IdempotencyContext context) {
			return this.bank.payLater(context, context.key().value());
		}

		@PostMapping("/REFUSE/FUTURE_HANDLER")
		@Idempotent(unknownOn = BankIsSilentException.class, onCrash = OnCrash.REFUSE)
		CompletableFuture<String> refuseLater(IdempotencyContext context) {
			return this.bank.payLater(context, context.key().value());
		}

		@PostMapping("/RETRY/MONO_HANDLER")
		@Idempotent(unknownOn = BankIsSilentException.class)
		Mono<String> retryReactively(IdempotencyContext context) {
			return this.bank.payReactively(context, context.key().value());
		}

		@PostMapping("/REFUSE/MONO_HANDLER")
		@Idempotent(unknownOn = BankIsSilentException.class, onCrash = OnCrash.REFUSE)
		Mono<String> refuseReactively(IdempotencyContext context) {
			return this.bank.payReactively(context, context.key().value());
		}

	}

	@RestController
	static class TransactionalHandlers {

		private final Bank bank;

		TransactionalHandlers(Bank bank) {
			this.bank = bank;
		}

		@PostMapping("/RETRY/TRANSACTIONAL_HANDLER")
		@Idempotent(transactional = true, unknownOn = BankIsSilentException.class)
		String retry(IdempotencyContext context) throws Exception {
			return this.bank.pay(context, context.key().value());
		}

		@PostMapping("/REFUSE/TRANSACTIONAL_HANDLER")
		@Idempotent(transactional = true, unknownOn = BankIsSilentException.class, onCrash = OnCrash.REFUSE)
		String refuse(IdempotencyContext context) throws Exception {
			return this.bank.pay(context, context.key().value());
		}

	}

	static class Methods {

		private final Bank bank;

		Methods(Bank bank) {
			this.bank = bank;
		}

		@Idempotent(key = "#key", unknownOn = BankIsSilentException.class)
		public String retry(String key) throws Exception {
			return this.bank.pay(IdempotencyContext.current(), key);
		}

		@Idempotent(key = "#key", unknownOn = BankIsSilentException.class, onCrash = OnCrash.REFUSE)
		public String refuse(String key) throws Exception {
			return this.bank.pay(IdempotencyContext.current(), key);
		}

		@Idempotent(key = "#key", unknownOn = BankIsSilentException.class)
		public CompletableFuture<String> retryLater(String key) {
			return this.bank.payLater(IdempotencyContext.current(), key);
		}

		@Idempotent(key = "#key", unknownOn = BankIsSilentException.class, onCrash = OnCrash.REFUSE)
		public CompletableFuture<String> refuseLater(String key) {
			return this.bank.payLater(IdempotencyContext.current(), key);
		}

		@Idempotent(key = "#key", unknownOn = BankIsSilentException.class)
		public Mono<String> retryReactively(String key) {
			return ReactiveIdempotencyContext.current().flatMap((context) -> this.bank.payReactively(context, key));
		}

		@Idempotent(key = "#key", unknownOn = BankIsSilentException.class, onCrash = OnCrash.REFUSE)
		public Mono<String> refuseReactively(String key) {
			return ReactiveIdempotencyContext.current().flatMap((context) -> this.bank.payReactively(context, key));
		}

	}

	static class TransactionalMethods {

		private final Bank bank;

		TransactionalMethods(Bank bank) {
			this.bank = bank;
		}

		@Idempotent(key = "#key", transactional = true, unknownOn = BankIsSilentException.class)
		public String retry(String key) throws Exception {
			return this.bank.pay(IdempotencyContext.current(), key);
		}

		@Idempotent(key = "#key", transactional = true, unknownOn = BankIsSilentException.class,
				onCrash = OnCrash.REFUSE)
		public String refuse(String key) throws Exception {
			return this.bank.pay(IdempotencyContext.current(), key);
		}

	}

	/**
	 * The edges outside of the web.
	 */
	static class Calls {

		private final Bank bank;

		private final Methods methods;

		private final ObjectProvider<TransactionalMethods> transactional;

		private final Idempotency idempotency;

		private final IdempotentTools tools;

		Calls(Bank bank, Methods methods, ObjectProvider<TransactionalMethods> transactional, Idempotency idempotency,
				IdempotentTools tools) {
			this.bank = bank;
			this.methods = methods;
			this.transactional = transactional;
			this.idempotency = idempotency;
			this.tools = tools;
		}

		private Object call(Edge edge, OnCrash onCrash, String key) throws Exception {
			boolean retry = onCrash == OnCrash.RETRY;
			IdempotencyKey named = IdempotencyKey.of(edge.name(), key);
			Idempotency terms = this.idempotency.withOnCrash(onCrash);
			Callable<String> work = () -> this.bank.pay(IdempotencyContext.current(), key);
			return switch (edge) {
				case METHOD -> retry ? this.methods.retry(key) : this.methods.refuse(key);
				case FUTURE_METHOD -> (retry ? this.methods.retryLater(key) : this.methods.refuseLater(key)).get();
				case MONO_METHOD ->
					(retry ? this.methods.retryReactively(key) : this.methods.refuseReactively(key)).toFuture().get();
				case TRANSACTIONAL_METHOD ->
					retry ? this.transactional.getObject().retry(key) : this.transactional.getObject().refuse(key);
				case TEMPLATE -> terms.execute(named, String.class, work::call);
				case STEP -> terms.execute(named, String.class,
						() -> IdempotencyContext.current().steps().run("pay", String.class, work::call));
				case TOOL -> tool(onCrash, work).call('"' + key + '"',
						new ToolContext(Map.of(ToolSession.DEFAULT_ENTRY, "anna")));
				case SESSION -> terms.session(key).withOnCrash(onCrash).run("pay", key, String.class, work::call);
				default -> throw new IllegalArgumentException(Arrays.toString(Edge.values()));
			};
		}

		private ToolCallback tool(OnCrash onCrash, Callable<String> work) {
			return this.tools.wrap(FunctionToolCallback.builder("pay", (String key) -> {
				try {
					return work.call();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}).inputType(String.class).build(), ToolOptions.defaults().withOnCrash(onCrash));
		}

	}

}
