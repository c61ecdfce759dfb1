package dev.idempotency.web;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.Reason;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.guides.TellerReplays;
import dev.idempotency.http.ReplayAuthorizer;
import dev.idempotency.http.RequestFacts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Who gets a stored response.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ReplayAuthorizerTests {

	@AutoClose
	private final TestServer server = start(Rules.class, "idempotency.on-store-failure=proceed",
			"idempotency.operations[POST /limited].max-replays=2");

	private final Rules rules = this.server.bean(Rules.class);

	private final String key = TestServer.newKey();

	TestServer start(Class<?> rules, String... properties) {
		return serve(
				List.of(WebTestApplication.class, Security.class, Endpoints.class, Gates.class, Roles.class, rules),
				properties);
	}

	TestServer serve(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, TestServer.with(properties, TestServer.WITH_SECURITY))
			.sending("Authorization", SecurityHttpTests.basic("alice"));
	}

	@BeforeEach
	void allowAll() {
		this.rules.set(null, false);
		this.rules.outcomes.clear();
	}

	private TestServer.Call post(String path) {
		return this.server.post(path).key(this.key + path);
	}

	@Test
	void asksBeforeEachReplayOnly() {
		Answer first = post("/orders").send();
		assertThat(this.rules.asked).isEmpty();
		post("/orders").send().assertExactReplayOf(first);
		assertThat(this.rules.asked).containsExactly("POST /{name} of alice: 200");
		this.rules.asked.clear();
		post("/orders").json("{}").send().assertProblem(422, "key-reused");
		assertThat(this.rules.asked).isEmpty();
	}

	@Test
	void asksForStoredErrors() {
		Answer first = post("/missing").send();
		assertThat(first.status()).isEqualTo(404);
		assertThat(post("/missing").send().isReplay()).isTrue();
		assertThat(this.rules.asked).containsExactly("POST /missing of alice: 404");
		this.rules.set(null, true);
		post("/missing").send().assertProblem(403, "replay-denied");
	}

	@Test
	void deniesTheResponseAndRunsNothing() {
		Answer first = post("/denied").send();
		this.rules.set(null, true);
		Answer denied = post("/denied").send();
		denied.assertProblem(403, "replay-denied");
		assertThat(denied.isReplay()).isFalse();
		assertThat(denied.toString()).doesNotContain(first.text()).doesNotContain(this.key);
		assertThat(post("/denied").header("Accept", "text/markdown").send().text()).contains("Ask the operator",
				"Status 403, `urn:idempotency:replay-denied`");
		assertThat(this.rules.outcomes).containsExactly("POST /{name} replay denied", "POST /{name} replay denied");
		this.rules.set(null, false);
		post("/denied").send().assertExactReplayOf(first);
		assertThat(this.server.executions().of("denied")).isEqualTo(1);
	}

	@Test
	void tellsADryRun() {
		Answer first = post("/rehearsed").send();
		assertThat(post("/rehearsed").dryRun().send().effect()).isEqualTo("would_replay");
		this.rules.set(null, true);
		Answer answer = post("/rehearsed").dryRun().send();
		assertThat(answer.effect()).isEqualTo("would_reject");
		assertThat(answer.text()).contains("\"state\":\"completed\"").doesNotContain(first.text());
	}

	@Test
	void deniesTheResponseThatARequestHasWaitedFor() {
		Gates gates = this.server.bean(Gates.class);
		String waited = this.key + "/waits";
		CompletableFuture<Answer> first = Background.start(() -> post("/waits").send());
		gates.await(waited + " runs");
		this.rules.set(null, true);
		CompletableFuture<Answer> second = Background.start(() -> post("/waits").send());
		await().until(() -> this.server.bean(IdempotencyEngine.class).attemptsWaiting() == 1);
		gates.open(waited);
		assertThat(first.join().status()).isEqualTo(200);
		second.join().assertProblem(403, "replay-denied");
	}

	@Test
	void countsAReplayThatIsDenied() {
		post("/limited").send();
		this.rules.set(null, true);
		post("/limited").send().assertProblem(403, "replay-denied");
		this.rules.set(null, false);
		assertThat(post("/limited").send().isReplay()).isTrue();
		post("/limited").send().assertProblem(429, "replay-limit");
	}

	@Test
	void sendsNothingWhenTheRuleFails() {
		Answer first = post("/fails").send();
		this.rules.set(new IllegalStateException("broken"), false);
		Answer failed = post("/fails").send();
		assertThat(failed.status()).isEqualTo(500);
		assertThat(failed.toString()).doesNotContain(first.text());
		assertThat(failed.isReplay()).isFalse();
		this.rules.set(new AssertionError("broken"), false);
		assertThat(post("/fails").send().status()).isEqualTo(500);
		assertThat(this.rules.outcomes).containsExactly("POST /{name} undecided REPLAY_DENIED",
				"POST /{name} undecided REPLAY_DENIED");
		assertThat(this.server.executions().of("fails")).isEqualTo(1);
	}

	@Test
	void leavesAFailureOfTheRuleToTheApplication() {
		post("/handled").send();
		this.rules.set(new IllegalArgumentException("unknown"), false);
		assertThat(post("/handled").send().status()).isEqualTo(statusOfFailedRule());
	}

	/**
	 * That of the controller's exception handler.
	 */
	int statusOfFailedRule() {
		return 410;
	}

	@Test
	void leavesDenialsOfSpringSecurityToSpringSecurity() {
		post("/refuses").send();
		this.rules.set(new AccessDeniedException("no"), false);
		Answer denied = post("/refuses").send();
		assertThat(denied.status()).isEqualTo(403);
		assertThat(denied.text()).doesNotContain("urn:idempotency");
		assertThat(this.server.executions().of("refuses")).isEqualTo(1);
	}

	/**
	 * Such a store runs operations without protection when it fails.
	 */
	@Test
	void doesNotTakeAFailureOfTheRuleForOneOfTheStore() {
		post("/proceeds").send();
		this.rules.set(new IdempotencyStoreException("that of the rule", null), false);
		post("/proceeds").send().assertProblem(503, "store-unavailable");
		assertThat(this.server.executions().of("proceeds")).isEqualTo(1);
	}

	@Test
	void asksNobodyInObserveMode() {
		try (TestServer observing = start(Rules.class, "idempotency.mode=observe")) {
			observing.bean(Rules.class).set(new IllegalStateException("broken"), true);
			for (int i = 0; i < 2; i++) {
				assertThat(observing.post("/orders").key(this.key).send().status()).isEqualTo(200);
			}
			assertThat(observing.bean(Rules.class).asked).isEmpty();
		}
	}

	@Test
	void honoursRolesAsTheGuideSays() {
		try (TestServer guided = start(TellerReplays.class)) {
			Roles roles = guided.bean(Roles.class);
			roles.given.add("TELLER");
			Answer payout = guided.post("/payouts").key(this.key).send();
			Answer other = guided.post("/orders").key(this.key).send();
			assertThat(payout.status()).isEqualTo(200);
			guided.post("/payouts").key(this.key).send().assertReplayOf(payout);
			roles.given.remove("TELLER");
			guided.post("/payouts").key(this.key).send().assertProblem(403, "replay-denied");
			guided.post("/orders").key(this.key).send().assertReplayOf(other);
			assertThat(guided.executions().of("payouts")).isEqualTo(1);
		}
	}

	/**
	 * The rule of the test, and what it was asked.
	 */
	@Component
	static class Rules implements ReplayAuthorizer, IdempotencyListener {

		private final List<String> asked = new CopyOnWriteArrayList<>();

		private final List<String> outcomes = new CopyOnWriteArrayList<>();

		private volatile @Nullable Throwable failure;

		private volatile boolean denying;

		void set(@Nullable Throwable failure, boolean denying) {
			this.asked.clear();
			this.failure = failure;
			this.denying = denying;
		}

		@Override
		public boolean mayReplay(RequestFacts request, IdempotencyKey key, int status) {
			assertThat(request.principal()).isNotNull();
			this.asked.add("%s of %s: %d".formatted(key.scope().operation(), key.scope().principal(), status));
			if (this.failure instanceof RuntimeException exception) {
				throw exception;
			}
			if (this.failure instanceof Error error) {
				throw error;
			}
			return !this.denying;
		}

		@Override
		public void onEvent(IdempotencyEvent event) {
			if (event instanceof IdempotencyEvent.Decided decided && decided.answer() != null
					&& decided.answer().reason() == Reason.REPLAY_DENIED && decided.enforced()) {
				this.outcomes.add(event.operation() + " replay denied");
			}
			if (event instanceof IdempotencyEvent.Undecided undecided) {
				this.outcomes.add(event.operation() + " undecided " + undecided.cause().reason());
			}
		}

	}

	/**
	 * The roles that Alice has now.
	 */
	@Component
	static class Roles {

		private final Set<String> given = ConcurrentHashMap.newKeySet();

		Roles() {
			this.given.add("USER");
		}

		UserDetails alice() {
			return User.withUsername("alice").password("{noop}secret").roles(this.given.toArray(String[]::new)).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests(
						(requests) -> requests.requestMatchers("/error").permitAll().anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users(Roles roles) {
			return (name) -> roles.alice();
		}

	}

	@RestController
	@Idempotent
	record Endpoints(Gates gates, Executions executions) {

		@PostMapping("/{name}")
		String any(@PathVariable String name) {
			return this.executions.next(name);
		}

		@ExceptionHandler
		@ResponseStatus(HttpStatus.GONE)
		String handle(IllegalArgumentException ex) {
			return String.valueOf(ex.getMessage());
		}

		@PostMapping("/limited")
		String limited() {
			return this.executions.next("limited");
		}

		@PostMapping("/payouts")
		String payouts() {
			return this.executions.next("payouts");
		}

		@PostMapping("/missing")
		@ResponseStatus(HttpStatus.NOT_FOUND)
		String missing() {
			return "missing";
		}

		@PostMapping("/waits")
		@Idempotent(onConflict = OnConflict.WAIT)
		CompletableFuture<String> waits(IdempotencyContext context) {
			String key = context.key().value();
			this.gates.open(key + " runs");
			return Background.start(() -> {
				this.gates.await(key);
				return this.executions.next("waits");
			});
		}

	}

}
