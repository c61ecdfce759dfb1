package dev.idempotency.web;

import dev.idempotency.http.KeyResolver;
import dev.idempotency.http.ReplayedAnswer;
import dev.idempotency.http.ScopeResolver;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.Idempotent;
import dev.idempotency.http.DryRunHeader;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.RequestFacts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failures of handlers that Spring takes for a client that is gone, and answers with
 * nothing and 200.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SwallowedFailureTests implements Container.Choice {

	@AutoClose
	private final TestServer server = serve(
			List.of(WebTestApplication.class, Handlers.class, Forgiving.class, FailingTransactions.class,
					FailingScopes.class, FailingKeys.class),
			TestServer.WITH_DATABASE, "spring.datasource.url=jdbc:h2:mem:swallowed", "idempotency.store=jdbc",
			"idempotency.jdbc.initialize-schema=always");

	@Test
	void aHandlerWhoseServerHungUpHasFailed() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/hung-up").key(key).send();
		Answer second = this.server.post("/hung-up").key(key).send();
		Answer third = this.server.post("/hung-up").key(key).send();
		assertThat(first.status()).isEqualTo(500);
		assertThat(second.status()).isEqualTo(200);
		assertThat(second.text()).isEqualTo("call 2");
		assertThat(second.header(ReplayedAnswer.HEADER)).isEmpty();
		assertThat(third.text()).isEqualTo("call 2");
		assertThat(third.header(ReplayedAnswer.HEADER)).isEqualTo("true");
	}

	@Test
	void aHandlerWhoseTransactionCannotBeginHasNotRun() {
		String key = TestServer.newKey();
		FailingTransactions transactions = this.server.bean(FailingTransactions.class);
		transactions.failOnce();
		Answer first = this.server.post("/transactional").key(key).send();
		assertThat(transactions.failed()).isTrue();
		assertThat(first.status()).isEqualTo(500);
		assertThat(first.header(EffectHeader.NAME)).isEqualTo("none");
		Answer second = this.server.post("/transactional").key(key).send();
		assertThat(second.status()).isEqualTo(200);
		assertThat(second.text()).startsWith("run ");
		assertThat(second.header(ReplayedAnswer.HEADER)).isEmpty();
		assertThat(this.server.post("/transactional").key(key).send().text()).isEqualTo(second.text());
	}

	@Test
	void aDryRunWhoseTransactionCannotBeginHasNotRun() {
		FailingTransactions transactions = this.server.bean(FailingTransactions.class);
		transactions.failOnce();
		Answer first = this.server.post("/rehearsed").key(TestServer.newKey()).header(DryRunHeader.NAME, "?1").send();
		assertThat(transactions.failed()).isTrue();
		assertThat(first.status()).isEqualTo(500);
		assertThat(first.header(EffectHeader.NAME)).isEqualTo("none");
	}

	@Test
	void aHandlerWhoseCallerCannotBeFoundOutHasNotRun() {
		hasNotRunAfter(this.server.bean(FailingScopes.class).failure);
	}

	@Test
	void aHandlerWhoseKeyCannotBeFoundOutHasNotRun() {
		hasNotRunAfter(this.server.bean(FailingKeys.class).failure);
	}

	private void hasNotRunAfter(Failure failure) {
		String key = TestServer.newKey();
		failure.happenOnce();
		Answer first = this.server.post("/transactional").key(key).send();
		assertThat(failure.happened()).isTrue();
		assertThat(first.status()).isEqualTo(500);
		assertThat(first.header(EffectHeader.NAME)).isEqualTo("none");
		Answer second = this.server.post("/transactional").key(key).send();
		assertThat(second.status()).isEqualTo(200);
		assertThat(second.header(ReplayedAnswer.HEADER)).isEmpty();
	}

	@Test
	void whatTheApplicationAnswersWhenACallerCannotBeFoundOutIsItsOwn() {
		String key = TestServer.newKey();
		Failure failure = this.server.bean(FailingScopes.class).failure;
		failure.happenOnce();
		Answer first = this.server.post("/forgiving").key(key).send();
		assertThat(failure.happened()).isTrue();
		assertThat(first.status()).isEqualTo(200);
		assertThat(first.text()).isEqualTo("Later, perhaps");
		assertThat(first.header(EffectHeader.NAME)).isEqualTo("none");
		Answer second = this.server.post("/forgiving").key(key).send();
		assertThat(second.text()).isEqualTo("done");
		assertThat(second.header(ReplayedAnswer.HEADER)).isEmpty();
	}

	/**
	 * Another server that is asked hangs up.
	 */
	static final class Failure {

		private final AtomicBoolean pending = new AtomicBoolean();

		void happenOnce() {
			this.pending.set(true);
		}

		boolean happened() {
			return !this.pending.get();
		}

		void happenIfPending() {
			if (this.pending.compareAndSet(true, false)) {
				throw new UncheckedIOException(new EOFException());
			}
		}

	}

	/**
	 * Who asks is looked up elsewhere.
	 */
	static class FailingScopes implements ScopeResolver {

		private final Failure failure = new Failure();

		@Override
		public IdempotencyScope resolveScope(RequestFacts request, String operation) {
			this.failure.happenIfPending();
			return ScopeResolver.principal().resolveScope(request, operation);
		}

	}

	/**
	 * Keys are looked up elsewhere.
	 */
	static class FailingKeys implements KeyResolver {

		private final Failure failure = new Failure();

		@Override
		public @Nullable String resolveKey(RequestFacts request) {
			this.failure.happenIfPending();
			return request.header("Idempotency-Key");
		}

	}

	@RestController
	static class Forgiving {

		@Idempotent
		@PostMapping("/forgiving")
		String run() {
			return "done";
		}

		@ExceptionHandler
		String later(UncheckedIOException ex) {
			return "Later, perhaps";
		}

	}

	/**
	 * A database that hangs up when a transaction is to begin.
	 */
	static class FailingTransactions extends DataSourceTransactionManager {

		private static final long serialVersionUID = 1L;

		private final AtomicBoolean failing = new AtomicBoolean();

		FailingTransactions(DataSource dataSource) {
			super(dataSource);
		}

		void failOnce() {
			this.failing.set(true);
		}

		boolean failed() {
			return !this.failing.get();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			if (this.failing.compareAndSet(true, false)) {
				throw new CannotCreateTransactionException("Could not open a connection",
						new SQLException("An I/O error occurred", new EOFException()));
			}
			super.doBegin(transaction, definition);
		}

	}

	@RestController
	static class Handlers {

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicInteger runs = new AtomicInteger();

		@Idempotent
		@PostMapping("/hung-up")
		String call() throws IOException {
			int call = this.calls.incrementAndGet();
			if (call == 1) {
				throw new IOException("The other server does not answer", new EOFException());
			}
			return "call " + call;
		}

		@Idempotent(transactional = true)
		@PostMapping("/transactional")
		String run() {
			return "run " + this.runs.incrementAndGet();
		}

		@Idempotent(dryRun = DryRun.ROLLBACK)
		@PostMapping("/rehearsed")
		String rehearse() {
			return "rehearsed";
		}

	}

}
