package dev.idempotency.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.EvictionListener;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.FaultInjectingStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.MovableClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Prometheus gets to see of an application to which all sorts of things happen.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@AutoClose
	private final TestServer server = start(List.of(Application.class), Bystanders.ALL,
			"management.endpoints.web.exposure.include=prometheus", "idempotency.lease=30s",
			"management.metrics.distribution.percentiles-histogram.idempotency.store=true");

	private final List<String> runningWhileOneRan = new ArrayList<>();

	private String scraped = "";

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@BeforeAll
	void letThingsHappen() {
		this.server.post("/pay").key("secret-key").json("{\"secret\": 1}").send();
		this.server.post("/pay").key("secret-key").json("{\"secret\": 1}").send();
		this.server.post("/pay").key("secret-key").json("{\"secret\": 2}").send();
		this.server.post("/pay").json("{}").send();
		this.server.post("/pay").key("two words").json("{}").send();
		this.server.post("/fail").key("secret-key").send();
		loseAClaim();
		for (int i = 0; i < 10; i++) {
			this.server.post("/pay").key("secret-key-" + i).json("{}").send();
		}
		Application application = this.server.bean(Application.class);
		application.failing = StoreVerb.CLAIM;
		this.server.post("/pay").key("secret-key").json("{}").send();
		application.failing = null;
		this.scraped = scrape();
	}

	/**
	 * An execution stalls past its lease, and its retry takes the key over.
	 */
	private void loseAClaim() {
		Application application = this.server.bean(Application.class);
		CompletableFuture<Answer> stalled = Background.start(() -> this.server.post("/slow").key("secret-key").send());
		application.gates.await("running");
		this.server.post("/slow").key("secret-key").send();
		this.runningWhileOneRan.add(scrape());
		application.clock.advance(LEASE);
		this.server.post("/slow").key("secret-key").send();
		application.gates.open("end");
		assertThat(stalled.join().isReplay()).isTrue();
	}

	private String scrape() {
		Answer answer = this.server.call("GET", "/actuator/prometheus").send();
		assertThat(answer.status()).isEqualTo(200);
		return answer.text();
	}

	@Test
	void countsAttemptsByOperationAndOutcome() {
		assertThat(this.scraped).contains(attempts("POST /pay", "executed", 11), attempts("POST /pay", "replayed", 1),
				attempts("POST /pay", "key_reused", 1), attempts("POST /pay", "key_missing", 1),
				attempts("POST /pay", "key_invalid", 1), attempts("POST /pay", "store_failed", 1),
				attempts("POST /slow", "executed", 2), attempts("POST /slow", "in_progress", 1));
	}

	private static String attempts(String operation, String outcome, int count) {
		return "\nidempotency_attempts_total{enforced=\"true\",operation=\"%s\",outcome=\"%s\"} %d.0\n"
			.formatted(operation, outcome, count);
	}

	@Test
	void countsWhatBecameOfExecutions() {
		assertThat(this.scraped).contains(executions("POST /pay", "stored", 11),
				executions("POST /fail", "released", 1), executions("POST /slow", "stored", 1),
				executions("POST /slow", "superseded", 1),
				"\nidempotency_claims_lost_total{operation=\"POST /slow\"} 1.0\n",
				"\nidempotency_takeovers_total{operation=\"POST /slow\"} 1.0\n");
	}

	private static String executions(String operation, String outcome, int count) {
		return "\nidempotency_executions_total{operation=\"%s\",outcome=\"%s\"} %d.0\n".formatted(operation, outcome,
				count);
	}

	@Test
	void takesTheTimeOfTheStore() {
		assertThat(this.scraped).contains("\nidempotency_store_seconds_count{outcome=\"error\",verb=\"claim\"} 1\n",
				"\nidempotency_store_seconds_count{outcome=\"success\",verb=\"renew\"} 0\n",
				"\nidempotency_store_seconds_max{outcome=\"success\",verb=\"complete\"} ",
				"\nidempotency_store_seconds_sum{outcome=\"success\",verb=\"release\"} ");
	}

	@Test
	void showsWhatIsInProgress() {
		assertThat(this.runningWhileOneRan).allMatch((text) -> text.contains("\nidempotency_in_progress 1.0\n"));
		assertThat(this.scraped).contains("\nidempotency_in_progress 0.0\n", "\nidempotency_waiting 0.0\n");
	}

	@Test
	void countsEvictions() {
		assertThat(this.scraped).contains("\nidempotency_memory_evictions_total ")
			.doesNotContain("\nidempotency_memory_evictions_total 0.0\n");
	}

	@Test
	void takesTheTimeOfOperations() {
		assertThat(this.scraped)
			.contains("\nidempotency_operation_seconds_count{completion=\"stored\",enforced=\"true\","
					+ "error=\"none\",operation=\"POST /pay\",outcome=\"executed\"} 11\n");
	}

	@Test
	void tellsNothingOfKeysAndBodies() {
		assertThat(this.scraped).doesNotContain("secret");
	}

	@Test
	void hasEverythingThatTheDashboardShows() throws IOException {
		JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(Path.of("../docs/grafana-dashboard.json")));
		List<String> expressions = dashboard.findValuesAsString("expr");
		assertThat(expressions).hasSizeGreaterThan(8);
		Set<String> shown = found("idempotency_\\w+", String.join("\n", expressions));
		assertThat(found("(?m)^idempotency_\\w+", this.scraped)).containsAll(shown);
		assertThat(shown).contains("idempotency_attempts_total", "idempotency_executions_total",
				"idempotency_claims_lost_total", "idempotency_store_seconds_count", "idempotency_in_progress",
				"idempotency_waiting", "idempotency_memory_evictions_total", "idempotency_takeovers_total",
				"idempotency_abandoned");
		Set<String> outcomes = found("(?<=outcome=~?\")[a-z_|]+", String.join("\n", expressions));
		assertThat(this.scraped.lines().toList()).isNotEmpty();
		assertThat(outcomes).allSatisfy((pattern) -> assertThat(pattern.split("\\|")).isSubsetOf(OUTCOMES));
		assertThat(dashboard.findValues("datasource")).isNotEmpty()
			.allSatisfy((source) -> assertThat(source.toString()).contains("${datasource}"));
	}

	/**
	 * All that the documentation names.
	 */
	private static final Set<String> OUTCOMES = Set.of("executed", "replayed", "not_replayable", "in_progress",
			"key_reused", "key_expired", "outcome_unknown", "replay_limit", "replay_denied", "key_missing",
			"key_invalid", "body_too_large", "body_unreadable", "store_failed", "result_unreadable", "unprotected",
			"error", "success");

	@Test
	void isDocumented() throws IOException {
		String page = Files.readString(Path.of("../docs/observability.md"));
		assertThat(OUTCOMES).allSatisfy((outcome) -> assertThat(page).contains("`" + outcome + "`"));
		Set<String> names = new TreeSet<>();
		for (String name : found("(?m)^# HELP idempotency_\\w+", this.scraped)) {
			names.add(name.replaceFirst("# HELP ", "").replaceFirst("_(total|seconds|seconds_max)$", ""));
		}
		assertThat(names).isNotEmpty()
			.allSatisfy((name) -> assertThat(page.replace('.', '_')).contains("`" + name + "`"));
	}

	private static Set<String> found(String pattern, String text) {
		Set<String> found = new TreeSet<>();
		Matcher matcher = Pattern.compile(pattern).matcher(text);
		while (matcher.find()) {
			found.add(matcher.group());
		}
		return found;
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Handlers.class)
	static class Application {

		private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

		private final Gates gates = new Gates();

		private volatile @Nullable StoreVerb failing;

		@Bean
		Gates gates() {
			return this.gates;
		}

		@Bean
		IdempotencyStore store(ObjectProvider<EvictionListener> evictions) {
			return new FaultInjectingStore(
					new InMemoryIdempotencyStore(new MemoryLimits(5, 1 << 20), this.clock,
							(key) -> evictions.forEach((listener) -> listener.evicted(key))),
					(verb) -> (verb == this.failing) ? Fault.BEFORE : Fault.NONE);
		}

	}

	@RestController
	@Idempotent
	record Handlers(Gates gates) {

		@PostMapping("/pay")
		String pay() {
			return "paid";
		}

		@PostMapping("/fail")
		String fail() {
			throw new ResponseStatusException(HttpStatus.INTERNAL_SERVER_ERROR);
		}

		@PostMapping("/slow")
		String slow(IdempotencyContext context) {
			if (!context.mayHaveRun()) {
				this.gates.open("running");
				this.gates.await("end");
			}
			return "done";
		}

	}

}
