package dev.idempotency.web;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import dev.idempotency.core.Completion;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.web.LossyDataSource.Loss;
import dev.idempotency.test.Race;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@code transactional = true} promises: the handler's work and its answer are
 * committed together, or not at all.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TransactionalHttpContract implements Container.Choice {

	@AutoClose
	private TestServer server;

	private JdbcTemplate jdbc;

	private String key;

	TransactionalHttpContract() {
	}

	abstract String url();

	/**
	 * What is configured automatically.
	 */
	String autoConfiguration() {
		return TestServer.WITH_DATABASE;
	}

	/**
	 * What the application has besides.
	 */
	List<Class<?>> surroundings() {
		return List.of();
	}

	@BeforeAll
	void start() {
		List<Class<?>> sources = new ArrayList<>(
				List.of(WebTestApplication.class, Turnstile.class, Events.class, Payments.class,
						PaymentController.class, UndoingController.class, Routes.class, LossyDataSource.Around.class));
		sources.addAll(surroundings());
		this.server = serve(sources, "etag.order=0", autoConfiguration(), "spring.datasource.url=" + url(),
				"idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always",
				"idempotency.http.max-response-body=10KB",
				// A connection that is not given back would be missed soon
				"spring.datasource.hikari.maximum-pool-size=3", "spring.datasource.hikari.connection-timeout=5000");
		this.jdbc = this.server.bean(JdbcTemplate.class);
		this.jdbc.execute("drop table if exists payment");
		this.jdbc.execute("create table payment (text varchar(100))");
	}

	@BeforeEach
	void clear() {
		this.key = TestServer.newKey();
		this.jdbc.update("delete from payment");
		this.jdbc.update("delete from idempotency_record");
		this.server.bean(Events.class).clear();
		this.server.executions().clear();
	}

	Answer pay(String how) {
		return this.server.post("/transactional/" + how).key(this.key).json("\"text\"").send();
	}

	int rows() {
		Integer count = this.jdbc.queryForObject("select count(*) from payment", Integer.class);
		return (count != null) ? count : -1;
	}

	private List<Map<String, Object>> records() {
		return this.jdbc.queryForList(
				"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end as state, attempt, idempotency_key from idempotency_record");
	}

	void assertCommitted(Answer answer, int status) {
		assertThat(answer.status()).isEqualTo(status);
		assertThat(rows()).isEqualTo(1);
		assertThat(this.jdbc.queryForObject(
				"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record",
				String.class))
			.isEqualTo("COMPLETED");
	}

	void assertUndone(Answer answer, int status) {
		assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
		assertThat(answer.effect()).isEqualTo("none");
		assertThat(rows()).isZero();
		assertThat(records()).isEmpty();
	}

	@Test
	void commitsTheWorkAndTheAnswerTogether() {
		Answer first = pay("plainly");
		assertCommitted(first, 201);
		Answer second = pay("plainly");
		second.assertReplayOf(first);
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void undoesTheWorkOfAHandlerThatFails() {
		assertUndone(pay("throwing"), 500);
		assertUndone(pay("throwing"), 500);
		assertThat(this.server.executions().of("throwing")).isEqualTo(2);
	}

	@Test
	void undoesTheWorkAndKeepsTheAnswerOfAnExceptionHandler() {
		Answer first = pay("refusing");
		assertThat(first.status()).isEqualTo(422);
		assertThat(first.effect()).isEqualTo("none");
		assertThat(rows()).isZero();
		assertThat(pay("refusing").isReplay()).isTrue();
		assertThat(this.server.executions().of("refusing")).isEqualTo(1);
	}

	@Test
	void undoesTheWorkAndKeepsTheErrorThatTheContainerRenders() {
		Answer first = pay("missing");
		assertThat(first.status()).isEqualTo(404);
		assertThat(first.effect()).isEqualTo("none");
		assertThat(rows()).isZero();
		Answer second = pay("missing");
		second.assertReplayOf(first);
	}

	@Test
	void undoesTheWorkBehindAnErrorThatIsNotStored() {
		assertUndone(pay("unavailable"), 503);
		assertUndone(pay("unavailable"), 503);
	}

	@Test
	void keepsTheWorkBehindAnErrorThatIsStored() {
		Answer first = pay("conflicting");
		assertCommitted(first, 422);
		assertThat(first.effect()).isEqualTo("executed");
		assertThat(pay("conflicting").isReplay()).isTrue();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void keepsTheWorkBehindASuccessThatIsNotToBeStored() {
		assertThat(pay("forgetting").status()).isEqualTo(200);
		assertThat(rows()).isEqualTo(1);
		assertThat(records()).isEmpty();
		assertThat(pay("forgetting").isReplay()).isFalse();
		assertThat(rows()).isEqualTo(2);
	}

	@Test
	void saysThatNothingWasDoneWhenTheCommitFails() {
		Answer answer = pay("failing-at-commit");
		assertUndone(answer, 500);
		assertThat(answer.text()).doesNotContain("paid");
		assertThat(answer.effect()).isEqualTo("none");
		assertThat(this.server.bean(Events.class).of(IdempotencyEvent.Finished.class)).singleElement()
			.satisfies((event) -> assertThat(event.completion().kind()).isEqualTo(Completion.Kind.ROLLED_BACK));
		assertThat(pay("failing-at-commit").isReplay()).isFalse();
	}

	@Test
	void undoesTheWorkOfAHandlerThatMarksTheTransaction() {
		assertUndone(pay("undoing-all"), 500);
		assertUndone(pay("undoing-all"), 500);
	}

	@Test
	void keepsTheAnswerOfAHandlerThatUndoesATransactionOfItsOwn() {
		for (String how : List.of("undoing-its-own", "undoing-apart")) {
			clear();
			Answer first = pay(how);
			assertThat(first.status()).isEqualTo(200);
			assertThat(rows()).isZero();
			pay(how).assertReplayOf(first);
		}
	}

	@Test
	void saysWhatWasDoneWhenTheReplyOfTheCommitIsLost() {
		Answer answer = payAndLose(Loss.OF_REPLY);
		assertCommitted(answer, 500);
		assertThat(answer.effect()).isEqualTo("created");
		assertThat(pay("plainly").isReplay()).isTrue();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void saysNothingWhenNothingIsKnownOfTheCommit() {
		Answer answer = payAndLose(Loss.OF_DATABASE);
		this.server.bean(LossyDataSource.class).recover();
		assertCommitted(answer, 500);
		assertThat(answer.effect()).isEmpty();
		assertThat(this.server.bean(Events.class).of(IdempotencyEvent.Finished.class)).singleElement()
			.satisfies((event) -> assertThat(event.completion().kind()).isEqualTo(Completion.Kind.UNKNOWN));
		assertThat(pay("plainly").isReplay()).isTrue();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void saysThatNothingWasDoneWhenTheCommitIsLost() {
		assertUndone(payAndLose(Loss.OF_COMMIT), 500);
		assertThat(pay("plainly").isReplay()).isFalse();
		assertThat(rows()).isEqualTo(1);
	}

	private Answer payAndLose(Loss loss) {
		this.server.bean(LossyDataSource.class).loseNext(loss);
		return pay("plainly");
	}

	@Test
	void undoesTheWorkOfAHandlerThatLostItsClaimAndIsNotToBeStored() {
		Answer answer = pay("losing-and-forgetting");
		assertThat(answer.status()).as(answer.toString()).isEqualTo(409);
		assertThat(rows()).isZero();
		assertThat(pay("plainly").status()).isEqualTo(201);
	}

	@Test
	void saysThatNothingWasDoneWhenAServiceHasRolledBack() {
		assertUndone(pay("swallowing"), 500);
	}

	@Test
	void sendsNothingBeforeTheCommit() {
		assertUndone(pay("flushing-then-throwing"), 500);
		assertCommitted(pay("flushing"), 200);
	}

	@Test
	void refusesAnAnswerThatCannotBeHeldBack() {
		assertUndone(pay("too-large"), 500);
	}

	@Test
	void undoesTheWorkOfAHandlerThatLostItsClaim() {
		Answer answer = pay("losing");
		assertThat(answer.status()).as(answer.toString()).isEqualTo(409);
		assertThat(rows()).isZero();
		assertThat(pay("plainly").status()).isEqualTo(201);
	}

	@Test
	void answersLikeTheAttemptThatTookOver() {
		Answer answer = pay("overtaken");
		assertThat(answer.status()).as(answer.toString()).isEqualTo(409);
		assertThat(answer.text()).contains("not-replayable");
		assertThat(rows()).isZero();
	}

	@Test
	void remembersNothingOfARequestThatNeverReachedItsHandler() {
		Answer broken = this.server.post("/transactional/plainly").key(this.key).json("").send();
		assertUndone(broken, 400);
	}

	@Test
	void tellsATwinThatTheHandlerIsRunning() {
		Turnstile turnstile = this.server.bean(Turnstile.class);
		CompletableFuture<Answer> held = turnstile
			.hold(this.server.post("/transactional/slowly").key(this.key).json("\"text\""));
		Answer twin = pay("slowly");
		turnstile.letGo(held);
		assertThat(twin.status()).isEqualTo(409);
		assertThat(pay("slowly").isReplay()).isTrue();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void protectsRoutesToo() {
		assertCommitted(pay("route"), 200);
		assertThat(pay("route").isReplay()).isTrue();
		this.jdbc.update("delete from payment");
		this.jdbc.update("delete from idempotency_record");
		assertUndone(this.server.post("/transactional/failing-route").key(this.key).json("\"text\"").send(), 500);
	}

	@Test
	void runsEachKeyOnceWhenManyComeAtOnce() {
		List<String> keys = IntStream.range(0, 20).mapToObj((i) -> TestServer.newKey()).toList();
		Race.run(6, () -> {
			for (String each : keys) {
				Answer answer = this.server.post("/transactional/plainly").key(each).json("\"text\"").send();
				assertThat(answer.status()).as(answer.toString()).isIn(201, 409);
			}
			return true;
		});
		assertThat(rows()).isEqualTo(keys.size());
		assertThat(records()).hasSize(keys.size()).allSatisfy((it) -> assertThat(it).containsValue("COMPLETED"));
	}

	@Service
	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		void pay(String text) {
			this.jdbc.update("insert into payment (text) values (?)", text);
		}

		@Transactional
		void payAndFail(String text) {
			pay(text);
			throw new IllegalArgumentException("the service fails");
		}

	}

	/**
	 * Handlers with transactions of their own, which they undo.
	 */
	@RestController
	@RequestMapping("/transactional")
	static class UndoingController {

		private final Payments payments;

		UndoingController(Payments payments) {
			this.payments = payments;
		}

		@PostMapping("/undoing-all")
		@Idempotent(transactional = true)
		@Transactional
		public String undoAll(@RequestBody String text) {
			return undo(text);
		}

		@PostMapping("/undoing-its-own")
		@Idempotent
		@Transactional
		public String undoItsOwn(@RequestBody String text) {
			return undo(text);
		}

		@PostMapping("/undoing-apart")
		@Idempotent(transactional = true)
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public String undoApart(@RequestBody String text) {
			return undo(text);
		}

		private String undo(String text) {
			this.payments.pay(text);
			TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			return UUID.randomUUID().toString();
		}

	}

	@RestController
	@RequestMapping("/transactional")
	@Idempotent(transactional = true)
	record PaymentController(Payments payments, Executions executions, Turnstile turnstile, IdempotencyStore store) {

		@PostMapping("/plainly")
		ResponseEntity<String> plainly(@RequestBody String text) {
			this.payments.pay(text);
			return ResponseEntity.status(201).body("paid " + UUID.randomUUID());
		}

		@PostMapping("/throwing")
		String throwing(@RequestBody String text) {
			this.executions.next("throwing");
			this.payments.pay(text);
			throw new IllegalStateException("the handler fails");
		}

		@PostMapping("/refusing")
		String refusing(@RequestBody String text) {
			this.executions.next("refusing");
			this.payments.pay(text);
			throw new UnsupportedOperationException("the handler refuses");
		}

		@ExceptionHandler(UnsupportedOperationException.class)
		ResponseEntity<String> refused(UnsupportedOperationException ex) {
			return ResponseEntity.status(422).body("refused");
		}

		@PostMapping("/missing")
		String missing(@RequestBody String text) {
			this.payments.pay(text);
			throw new ResponseStatusException(HttpStatus.NOT_FOUND);
		}

		@PostMapping("/unavailable")
		ResponseEntity<String> unavailable(@RequestBody String text) {
			this.payments.pay(text);
			return ResponseEntity.status(503).body("later");
		}

		@PostMapping("/conflicting")
		ResponseEntity<String> conflicting(@RequestBody String text) {
			this.payments.pay(text);
			return ResponseEntity.status(422).body("no, but it was written down");
		}

		@PostMapping("/forgetting")
		String forgetting(@RequestBody String text, IdempotencyContext context) {
			this.payments.pay(text);
			context.doNotStore();
			return "paid";
		}

		@PostMapping("/failing-at-commit")
		String failingAtCommit(@RequestBody String text) {
			this.payments.pay(text);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw new IllegalStateException("the commit fails");
				}

			});
			return "paid";
		}

		@PostMapping("/swallowing")
		String swallowing(@RequestBody String text) {
			try {
				this.payments.payAndFail(text);
			}
			catch (IllegalArgumentException ex) {
				// Too late: the transaction cannot be committed any more
			}
			return "paid";
		}

		@PostMapping("/flushing")
		void flushing(HttpServletResponse response) throws IOException {
			this.payments.pay("flushed");
			response.getWriter().write("paid");
			response.flushBuffer();
		}

		@PostMapping("/flushing-then-throwing")
		void flushingThenThrowing(HttpServletResponse response) throws IOException {
			flushing(response);
			throw new IllegalStateException("the handler fails");
		}

		@PostMapping("/too-large")
		void tooLarge(HttpServletResponse response) throws IOException {
			this.payments.pay("large");
			response.getOutputStream().write(new byte[20_000]);
			response.getOutputStream().flush();
		}

		@PostMapping("/losing")
		String losing(@RequestBody String text, IdempotencyContext context) {
			((InspectableStore) this.store).forget(context.key());
			this.payments.pay(text);
			return "paid";
		}

		@PostMapping("/losing-and-forgetting")
		String losingAndForgetting(@RequestBody String text, IdempotencyContext context) {
			context.doNotStore();
			return losing(text, context);
		}

		@PostMapping("/overtaken")
		String overtaken(@RequestBody String text, IdempotencyContext context) {
			InspectableStore store = (InspectableStore) this.store;
			Fingerprint fingerprint = store.find(context.key()).orElseThrow().fingerprint();
			store.forget(context.key());
			ClaimTerms terms = new ClaimTerms(Duration.ofMinutes(1), Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ);
			ClaimResult other = store.claim(context.key(), fingerprint, terms);
			store.complete(((ClaimResult.Granted) other).claim(), StoredResult.tombstone(), Duration.ofHours(1));
			this.payments.pay(text);
			return "paid";
		}

		@PostMapping("/slowly")
		String slowly(@RequestBody String text) {
			this.payments.pay(text);
			this.turnstile.pass();
			return "paid";
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Routes {

		@Bean
		RouterFunction<ServerResponse> transactionalRoutes(IdempotencyRouteFilter idempotency, Payments payments) {
			return RouterFunctions.route().POST("/transactional/route", (request) -> {
				payments.pay(request.body(String.class));
				return ServerResponse.ok().body("paid");
			}).POST("/transactional/failing-route", (request) -> {
				payments.pay(request.body(String.class));
				throw new IllegalStateException("the route fails");
			}).filter(idempotency.withTransaction()).build();
		}

	}

}
