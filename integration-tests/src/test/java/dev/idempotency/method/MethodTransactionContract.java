package dev.idempotency.method;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A key and the work of its method have the same fate: in the method's own transaction,
 * and in its caller's.
 */
abstract class MethodTransactionContract {

	private final ApplicationContextRunner runner = MethodRunner.plain()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				TransactionAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + url(), "idempotency.store=jdbc",
				"idempotency.jdbc.initialize-schema=always")
		.withBean(Ledger.class)
		.withBean(Results.class);

	/**
	 * An empty database.
	 */
	abstract String url();

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated", "plain" })
	void commitsWorkAndKey(String method) {
		run((ledger, transaction) -> {
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void rollsBackWorkAndKey(String method) {
		run((ledger, transaction) -> {
			assertThatIllegalStateException().isThrownBy(() -> ledger.call(method, "1", true));
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void sharesTheFateOfItsCallersTransaction(String method) {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				assertThat(ledger.call(method, "1", false)).isEqualTo(1);
				status.setRollbackOnly();
			});
			assertThat(ledger.rows()).isEmpty();
			Integer committed = transaction.execute((status) -> ledger.call(method, "1", false));
			assertThat(committed).isEqualTo(1);
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { TransactionDefinition.ISOLATION_READ_COMMITTED,
			TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE })
	void isCompletedByACallerThatHasReadBefore(int isolation) {
		run((ledger, transaction) -> {
			transaction.setIsolationLevel(isolation);
			transaction.executeWithoutResult((status) -> {
				assertThat(ledger.rows()).isEmpty();
				assertThat(ledger.call("joining", "1", false)).isEqualTo(1);
			});
			assertThat(ledger.call("joining", "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void isRunOnceInATransactionThatCallsItTwice(String method) {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				assertThat(ledger.call(method, "1", false)).isEqualTo(1);
				assertThat(ledger.call(method, "1", false)).isEqualTo(1);
				assertThat(ledger.call(method, "2", false)).isEqualTo(2);
			});
			assertThat(ledger.rows()).containsExactly("1", "2");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void isInProgressForOthersUntilItsCallerCommits(String method) {
		run((ledger, transaction) -> {
			TransactionTemplate other = new TransactionTemplate(
					Objects.requireNonNull(transaction.getTransactionManager()));
			other.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
			transaction.executeWithoutResult((status) -> {
				ledger.call(method, "1", false);
				assertThatExceptionOfType(OperationInProgressException.class)
					.isThrownBy(() -> other.executeWithoutResult((inner) -> ledger.call(method, "1", false)));
			});
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void leavesNothingBehindInATransactionWhoseCallerGoesOn(String method) {
		run((ledger, transaction) -> {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> transaction.executeWithoutResult(
					(status) -> assertThat(catchThrowable(() -> ledger.call(method, "1", true))).isNotNull()));
			assertThat(ledger.rows()).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "robbed", "undecidedAndRobbed" })
	void isNotCommittedIfItsClaimIsLost(String method) {
		run((ledger, transaction) -> {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> transaction.executeWithoutResult(
					(status) -> assertThat(catchThrowable(() -> ledger.call(method, "1", false))).isNotNull()));
			assertThat(catchThrowable(() -> ledger.call(method, "2", false))).isNotNull();
			assertThat(ledger.rows()).isEmpty();
		});
	}

	@Test
	void isNotCommittedIfItsClaimIsLostJustBeforeTheCommit() {
		run((ledger, transaction) -> {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> transaction
				.executeWithoutResult((status) -> beforeCommit(() -> ledger.call("robbed", "1", false))));
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> beforeCommit(
						() -> assertThat(catchThrowable(() -> ledger.call("robbed", "2", false))).isNotNull())));
			assertThat(ledger.rows()).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void isCommittedWithItsKeyIfItIsCalledJustBeforeTheCommit(String method) {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> beforeCommit(() -> ledger.call(method, "1", false)));
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void refusesACallAfterTheCommitUnlessItBeginsATransaction() {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> afterCommit(() -> {
				assertThatIllegalStateException().isThrownBy(() -> ledger.call("annotated", "1", false))
					.withMessageContaining("REQUIRES_NEW");
				ledger.call("apart", "2", false);
				ledger.call("joining", "3", false);
			}));
			assertThat(ledger.rows()).containsExactly("2", "3");
			assertThat(ledger.call("annotated", "1", false)).isEqualTo(3);
		});
	}

	private static void afterCommit(Runnable work) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				work.run();
			}

		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void isFreeAtOnceIfTheCommitFails(String method) {
		run((ledger, transaction) -> {
			assertThatIllegalStateException().isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				ledger.call(method, "1", false);
				beforeCommit(() -> {
					throw new IllegalStateException("flushed in vain");
				});
			}));
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void isUndoneWithASavepoint(String method) {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				ledger.call(method, "1", false);
				nested(transaction).executeWithoutResult((inner) -> {
					ledger.call(method, "2", false);
					inner.setRollbackOnly();
				});
				ledger.call(method, "3", false);
			});
			assertThat(ledger.rows()).containsExactly("1", "3");
			assertThat(List.of("1", "2", "3")).allSatisfy((id) -> ledger.call(method, id, false));
			assertThat(ledger.rows()).containsExactly("1", "3", "2");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void canBeTriedAgainAfterASavepoint(String method) {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				nested(transaction).executeWithoutResult((inner) -> {
					ledger.call(method, "1", false);
					inner.setRollbackOnly();
				});
				nested(transaction).executeWithoutResult((inner) -> ledger.call(method, "1", false));
			});
			ledger.call(method, "1", false);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void mayFailInASavepoint() {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				assertThatIllegalStateException().isThrownBy(
						() -> nested(transaction).executeWithoutResult((inner) -> ledger.call("joining", "1", true)));
				ledger.call("joining", "2", false);
			});
			assertThat(ledger.rows()).containsExactly("2");
		});
	}

	private static TransactionTemplate nested(TransactionTemplate transaction) {
		TransactionTemplate nested = new TransactionTemplate(
				Objects.requireNonNull(transaction.getTransactionManager()));
		nested.setPropagationBehavior(TransactionTemplate.PROPAGATION_NESTED);
		return nested;
	}

	private static void beforeCommit(Runnable work) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				work.run();
			}

		});
	}

	@Test
	void isRememberedAtOnceIfItsWorkIsOutsideOfTransactions() {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				ledger.call("effect", "1", false);
				status.setRollbackOnly();
			});
			ledger.call("effect", "1", false);
			assertThat(ledger.effects()).containsExactly("1");
		});
	}

	@Test
	void isRememberedWhenItComesIfItComesLater() {
		run((ledger, transaction) -> {
			CompletableFuture<Integer> pending = new CompletableFuture<>();
			CompletableFuture<Integer> first = Objects
				.requireNonNull(transaction.execute((status) -> ledger.later("1", pending)));
			assertThat(first).isNotDone();
			pending.complete(7);
			assertThat(first).isCompletedWithValue(7);
			assertThat(ledger.later("1", new CompletableFuture<>())).isCompletedWithValue(7);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void isFreeIfItsWorkIsUndoneAndItsResultComesLater(boolean inCallers) {
		run((ledger, transaction) -> {
			CompletableFuture<Integer> pending = new CompletableFuture<>();
			Supplier<CompletableFuture<Integer>> call = () -> ledger.undoneLater("1", pending, true);
			CompletableFuture<Integer> first = Objects
				.requireNonNull(inCallers ? transaction.execute((status) -> call.get()) : call.get());
			pending.complete(7);
			assertThat(first).isCompletedWithValue(7);
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.undoneLater("1", CompletableFuture.completedFuture(8), true)).isCompletedWithValue(8);
			assertThat(ledger.undoneLater("1", CompletableFuture.completedFuture(9), false)).isCompletedWithValue(9);
			assertThat(ledger.undoneLater("1", CompletableFuture.completedFuture(10), false)).isCompletedWithValue(9);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void isKeptIfOnlyTransactionsInsideAreUndone() {
		run((ledger, transaction) -> {
			assertThat(ledger.call("undoneInside", "1", false)).isEqualTo(1);
			assertThat(ledger.call("undoneInside", "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void isItsOwnOperationInATransactionOfItsOwn() {
		run((ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				ledger.call("apart", "1", false);
				status.setRollbackOnly();
			});
			ledger.call("apart", "1", false);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void commitsWhatIsNotToBeStored() {
		run((ledger, transaction) -> {
			ledger.call("undecided", "1", false);
			ledger.call("undecided", "1", false);
			for (int i = 0; i < 2; i++) {
				transaction.executeWithoutResult((status) -> ledger.call("undecided", "2", false));
			}
			assertThat(ledger.rows()).containsExactly("1", "1", "2", "2");
			assertThat(ledger.outcomes()).as("left in the store").isZero();
		});
	}

	@Test
	void rollsBackTheWorkOfAStoredFailure() {
		run((ledger, transaction) -> {
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(UnsupportedOperationException.class)
					.isThrownBy(() -> ledger.call("refused", "1", true))
					.withMessage("refused");
			}
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.effects()).containsExactly("refused");
		});
	}

	/**
	 * A stored failure is a result, and shares the fate of the caller's transaction as a
	 * value does. Only a rollback of the method's own transaction or savepoint leaves a
	 * failure without a row.
	 */
	@Test
	void aResultOfAnyKindSharesTheFateOfItsCallersTransaction() {
		run((ledger, transaction) -> {
			List<String> complaints = new ArrayList<>();
			for (String method : List.of("joining", "joiningNested", "required", "mandatory", "supports", "nested",
					"apart")) {
				for (Result result : Result.values()) {
					for (CallersFate fate : CallersFate.values()) {
						String id = method + " " + result + " " + fate;
						String seen = fateOf(id, method, result, fate, ledger, transaction);
						if (!seen.equals(expected(method, result, fate))) {
							complaints.add("%s: %s".formatted(id, seen));
						}
					}
				}
			}
			assertThat(complaints).isEmpty();
		});
	}

	private static String fateOf(String id, String method, Result result, CallersFate fate, Ledger ledger,
			TransactionTemplate transaction) {
		List<String> results = new ArrayList<>();
		goOnAfter(() -> transaction.executeWithoutResult((status) -> {
			TransactionTemplate part = (fate == CallersFate.ROLLS_BACK_TO_SAVEPOINT) ? nested(transaction)
					: transaction;
			part.executeWithoutResult((inner) -> {
				results.add(ledger.resultOf(method, id, result));
				results.add(ledger.resultOf(method, id, result));
				switch (fate) {
					case COMMITS -> {
					}
					case FAILS -> throw new IllegalStateException("the caller fails");
					case ROLLS_BACK -> status.setRollbackOnly();
					case ROLLS_BACK_TO_SAVEPOINT -> inner.setRollbackOnly();
				}
			});
		}));
		long runs = ledger.runs(id);
		int rows = ledger.rows(id);
		goOnAfter(() -> transaction.executeWithoutResult((status) -> results.add(ledger.resultOf(method, id, result))));
		assertThat(results).as(id).hasSize(3).containsOnly(result.name());
		return "%d runs, %d rows, retry %s".formatted(runs, rows, (ledger.runs(id) > runs) ? "runs" : "replays");
	}

	private static void goOnAfter(Runnable work) {
		try {
			work.run();
		}
		catch (RuntimeException ex) {
			// Its caller failed, or could not commit
		}
	}

	private static String expected(String method, Result result, CallersFate fate) {
		boolean own = method.equals("apart");
		boolean savepoint = method.equals("nested") || method.equals("joiningNested");
		boolean rollsBack = result == Result.UNCHECKED && !method.equals("joining");
		boolean committed = own || (fate == CallersFate.COMMITS && (!rollsBack || savepoint));
		return "1 runs, %d rows, retry %s".formatted((committed && !rollsBack) ? 1 : 0, committed ? "replays" : "runs");
	}

	@Test
	void stopsIfATransactionBeginsBeforeTheClaim() {
		this.runner.withUserConfiguration(EagerTransactions.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining(Ledger.class.getName())
				.hasMessageContaining("begins before its key is claimed"));
	}

	@Test
	void stopsIfItsOwnTransactionTakesNoPart() {
		this.runner.withBean(Apart.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining(Apart.class.getName() + ".pay(java.lang.String)")
				.hasMessageContaining("takes no part"));
	}

	@Test
	void stopsForAStoreThatCannotJoin() {
		this.runner.withPropertyValues("idempotency.store=memory")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining(Ledger.class.getName() + ".")
				.hasMessageContaining("cannot join a transaction"));
	}

	private void run(Story story) {
		this.runner.run((context) -> {
			context.getBean(JdbcTemplate.class)
				.execute("create table ledger (number bigint generated always as identity, id varchar(60) not null)");
			story.tell(context.getBean(Ledger.class),
					new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
		});
	}

	enum Result {

		VALUE, CHECKED, UNCHECKED

	}

	/**
	 * What becomes of a caller that has got the result, whatever it is.
	 */
	enum CallersFate {

		COMMITS, FAILS, ROLLS_BACK, ROLLS_BACK_TO_SAVEPOINT

	}

	interface Story {

		void tell(Ledger ledger, TransactionTemplate transaction);

	}

	static class Ledger {

		private final JdbcTemplate jdbc;

		private final List<String> effects = new ArrayList<>();

		private final Supplier<Ledger> self;

		private final ObjectProvider<Results> results;

		Ledger(JdbcTemplate jdbc, ObjectProvider<Ledger> self, ObjectProvider<Results> results) {
			this.jdbc = jdbc;
			this.self = self::getObject;
			this.results = results;
		}

		List<String> rows() {
			return this.jdbc.queryForList("select id from ledger order by number", String.class);
		}

		List<String> effects() {
			return this.effects;
		}

		int outcomes() {
			return this.jdbc.queryForList("select owner from idempotency_record_outcome").size();
		}

		/**
		 * Takes every key that is in progress away from its executor, as a takeover
		 * would.
		 */
		void stealKeys() {
			DataSource dataSource = Objects.requireNonNull(this.jdbc.getDataSource());
			try (Connection own = dataSource.getConnection();
					PreparedStatement fence = own.prepareStatement(
							"insert into idempotency_record_outcome " + "(owner, id, completed_at, expires_at) "
									+ "select owner, id, created_at, expires_at from idempotency_record");
					PreparedStatement steal = own.prepareStatement("update idempotency_record set owner = ?")) {
				fence.executeUpdate();
				steal.setLong(1, 0);
				steal.executeUpdate();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		int call(String method, String id, boolean fails) {
			Ledger ledger = this.self.get();
			return switch (method) {
				case "joining" -> ledger.joining(id, fails);
				case "annotated" -> ledger.annotated(id, fails);
				case "plain" -> ledger.plain(id, fails);
				case "effect" -> ledger.effect(id);
				case "apart" -> ledger.apart(id);
				case "undecided" -> ledger.undecided(id);
				case "refused" -> ledger.refused(id);
				case "robbed" -> ledger.robbed(id);
				case "undoneInside" -> ledger.undoneInside(id);
				case "undoneOutside" -> ledger.undoneOutside(id);
				case "undecidedAndRobbed" -> ledger.undecidedAndRobbed(id);
				default -> throw new IllegalArgumentException(method);
			};
		}

		@Idempotent(key = "#id", transactional = true)
		public int joining(String id, boolean fails) {
			return write(id, fails);
		}

		@Idempotent(key = "#id", transactional = true)
		public int robbed(String id) {
			stealKeys();
			return write(id, false);
		}

		@Transactional
		@Idempotent(key = "#id")
		public int annotated(String id, boolean fails) {
			return write(id, fails);
		}

		@Transactional
		@Idempotent(key = "#id")
		public CompletableFuture<Integer> later(String id, CompletableFuture<Integer> pending) {
			return pending;
		}

		@Transactional(propagation = Propagation.NESTED)
		@Idempotent(key = "#id")
		public CompletableFuture<Integer> undoneLater(String id, CompletableFuture<Integer> pending, boolean undone) {
			write(id, false);
			if (undone) {
				TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			}
			return pending;
		}

		@Transactional
		@Idempotent(key = "#id")
		public int undoneInside(String id) {
			this.self.get().call("undoneOutside", "inside of " + id, false);
			return write(id, false);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Idempotent(key = "#id")
		public int undoneOutside(String id) {
			write(id, false);
			TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			return 0;
		}

		@Idempotent(key = "#id")
		public int plain(String id, boolean fails) {
			return write(id, fails);
		}

		@Idempotent(key = "#id")
		public int effect(String id) {
			this.effects.add(id);
			return this.effects.size();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Idempotent(key = "#id")
		public int apart(String id) {
			return write(id, false);
		}

		@Idempotent(key = "#id", transactional = true)
		public int undecided(String id) {
			IdempotencyContext.current().doNotStore();
			return write(id, false);
		}

		@Idempotent(key = "#id", transactional = true)
		public int undecidedAndRobbed(String id) {
			IdempotencyContext.current().doNotStore();
			return robbed(id);
		}

		@Idempotent(key = "#id", transactional = true, storeExceptions = UnsupportedOperationException.class)
		public int refused(String id) {
			write(id, false);
			this.effects.add("refused");
			throw new UnsupportedOperationException("refused");
		}

		/**
		 * The result of a call: a value or a stored failure, for the first time or again.
		 */
		String resultOf(String method, String id, Result result) {
			Results methods = this.results.getObject();
			try {
				return switch (method) {
					case "joining" -> methods.joining(id, result);
					case "joiningNested" -> methods.joiningNested(id, result);
					case "required" -> methods.required(id, result);
					case "mandatory" -> methods.mandatory(id, result);
					case "supports" -> methods.supports(id, result);
					case "nested" -> methods.nested(id, result);
					case "apart" -> methods.apart(id, result);
					default -> throw new IllegalArgumentException(method);
				};
			}
			catch (IOException | UnsupportedOperationException ex) {
				return String.valueOf(ex.getMessage());
			}
		}

		int rows(String id) {
			return this.jdbc.queryForList("select id from ledger where id = ?", String.class, id).size();
		}

		long runs(String id) {
			return this.effects.stream().filter(id::equals).count();
		}

		int write(String id, boolean fails) {
			this.jdbc.update("insert into ledger (id) values (?)", id);
			if (fails) {
				throw new IllegalStateException("broken");
			}
			return rows().size();
		}

	}

	/**
	 * A method of each propagation, whose failures are results.
	 */
	static class Results {

		private final Ledger ledger;

		Results(Ledger ledger) {
			this.ledger = ledger;
		}

		@Idempotent(key = "#id", transactional = true,
				storeExceptions = { IOException.class, UnsupportedOperationException.class })
		public String joining(String id, Result result) throws IOException {
			return give(id, result);
		}

		@Transactional(propagation = Propagation.NESTED)
		@Idempotent(key = "#id", transactional = true,
				storeExceptions = { IOException.class, UnsupportedOperationException.class })
		public String joiningNested(String id, Result result) throws IOException {
			return give(id, result);
		}

		@Transactional
		@Idempotent(key = "#id", storeExceptions = { IOException.class, UnsupportedOperationException.class })
		public String required(String id, Result result) throws IOException {
			return give(id, result);
		}

		@Transactional(propagation = Propagation.MANDATORY)
		@Idempotent(key = "#id", storeExceptions = { IOException.class, UnsupportedOperationException.class })
		public String mandatory(String id, Result result) throws IOException {
			return give(id, result);
		}

		@Transactional(propagation = Propagation.SUPPORTS)
		@Idempotent(key = "#id", storeExceptions = { IOException.class, UnsupportedOperationException.class })
		public String supports(String id, Result result) throws IOException {
			return give(id, result);
		}

		@Transactional(propagation = Propagation.NESTED)
		@Idempotent(key = "#id", storeExceptions = { IOException.class, UnsupportedOperationException.class })
		public String nested(String id, Result result) throws IOException {
			return give(id, result);
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@Idempotent(key = "#id", storeExceptions = { IOException.class, UnsupportedOperationException.class })
		public String apart(String id, Result result) throws IOException {
			return give(id, result);
		}

		private String give(String id, Result result) throws IOException {
			this.ledger.effects().add(id);
			this.ledger.write(id, false);
			return switch (result) {
				case VALUE -> result.name();
				case CHECKED -> throw new IOException(result.name());
				case UNCHECKED -> throw new UnsupportedOperationException(result.name());
			};
		}

	}

	static class Apart {

		@Idempotent(key = "#id", transactional = true)
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void pay(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
	static class EagerTransactions {

	}

}
