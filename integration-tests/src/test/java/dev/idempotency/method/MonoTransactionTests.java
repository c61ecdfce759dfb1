package dev.idempotency.method;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A key and the work of a method that returns a {@code Mono} have the same fate: in the
 * method's own reactive transaction. In its caller's, it does not run.
 */
class MonoTransactionTests {

	@Test
	void commitsWorkAndKeyInItsOwnTransaction() {
		run((ledger, table, callers) -> {
			assertThat(ledger.required("1", false).block()).isEqualTo("paid 1");
			assertThat(ledger.required("1", false).block()).isEqualTo("paid 1");
			assertThat(table.rows).containsExactly("1");
		});
	}

	@Test
	void rollsBackWorkAndKeyInItsOwnTransaction() {
		run((ledger, table, callers) -> {
			assertThatIllegalStateException().isThrownBy(() -> ledger.required("1", true).block())
				.withMessage("broken");
			assertThat(table.rows).isEmpty();
			assertThat(ledger.required("1", false).block()).isEqualTo("paid 1");
			assertThat(table.rows).containsExactly("1");
		});
	}

	@Test
	void doesNotRunInItsCallersTransaction() {
		run((ledger, table, callers) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> callers
					.execute((status) -> ledger.required("1", false).doOnNext((paid) -> status.setRollbackOnly()))
					.blockLast())
				.withMessageContaining("REQUIRES_NEW");
			assertThat(ledger.required("1", false).block()).isEqualTo("paid 1");
			assertThat(table.rows).containsExactly("1");
		});
	}

	@Test
	void isItsOwnOperationInATransactionOfItsOwn() {
		run((ledger, table, callers) -> {
			for (int i = 0; i < 2; i++) {
				callers.execute((status) -> ledger.apart("1").doOnNext((paid) -> status.setRollbackOnly())).blockLast();
			}
			assertThat(table.rows).containsExactly("1");
		});
	}

	private static void run(Story story) {
		MethodRunner.plain()
			.withConfiguration(AutoConfigurations.of(TransactionAutoConfiguration.class))
			.withUserConfiguration(Application.class)
			.run((context) -> story.tell(context.getBean(Ledger.class), context.getBean(Table.class),
					TransactionalOperator.create(context.getBean(Table.class))));
	}

	interface Story {

		void tell(Ledger ledger, Table table, TransactionalOperator callers);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import({ Table.class, Ledger.class })
	static class Application {

	}

	static class Ledger {

		private final Table table;

		Ledger(Table table) {
			this.table = table;
		}

		@Transactional
		@Idempotent(key = "#id")
		public Mono<String> required(String id, boolean fails) {
			return this.table.insert(id)
				.then(fails ? Mono.error(new IllegalStateException("broken")) : Mono.just("paid " + id));
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Idempotent(key = "#id")
		public Mono<String> apart(String id) {
			return this.table.insert(id).thenReturn("paid " + id);
		}

	}

	/**
	 * A table in memory, with transactions. No driver of R2DBC is needed to see when they
	 * end.
	 */
	static class Table extends AbstractReactiveTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient List<String> rows = new ArrayList<>();

		Mono<Void> insert(String row) {
			return TransactionSynchronizationManager.forCurrentTransaction()
				.doOnNext((current) -> pending(current).add(row))
				.then();
		}

		@SuppressWarnings("unchecked")
		private List<String> pending(TransactionSynchronizationManager current) {
			return (List<String>) Objects.requireNonNull(current.getResource(this), "no transaction");
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager current) {
			return current;
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return ((TransactionSynchronizationManager) transaction).hasResource(this);
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager current, Object transaction,
				TransactionDefinition definition) {
			return Mono.fromRunnable(() -> current.bindResource(this, new ArrayList<String>()));
		}

		@Override
		protected Mono<Object> doSuspend(TransactionSynchronizationManager current, Object transaction) {
			return Mono.fromCallable(() -> current.unbindResource(this));
		}

		@Override
		protected Mono<Void> doResume(TransactionSynchronizationManager current, @Nullable Object transaction,
				Object suspended) {
			return Mono.fromRunnable(() -> current.bindResource(this, suspended));
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager current, GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.rows.addAll(pending(current)));
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager current, GenericReactiveTransaction status) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doSetRollbackOnly(TransactionSynchronizationManager current,
				GenericReactiveTransaction status) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCleanupAfterCompletion(TransactionSynchronizationManager current, Object transaction) {
			return Mono.fromRunnable(() -> current.unbindResource(this));
		}

	}

}
