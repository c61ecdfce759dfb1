package dev.idempotency.transactions;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencySession;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.Steps;
import dev.idempotency.Work;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.method.MethodRunner;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.web.LossyDataSource;
import dev.idempotency.web.LossyDataSource.Loss;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a transactional step has written and its result are there together, or neither is.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class StepTransactionContract {

	private static final IdempotencyKey KEY = IdempotencyKey.of("book", "1");

	private final DatabaseUnderTest database;

	private final List<String> runs = new CopyOnWriteArrayList<>();

	StepTransactionContract(DatabaseUnderTest database) {
		this.database = database;
	}

	Stream<Isolation> isolations() {
		return this.database.isolations().stream();
	}

	@ParameterizedTest
	@MethodSource("isolations")
	void keepsARowWithItsResultWhateverBecomesOfTheOperation(Isolation isolation) {
		run(isolation, (desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.operation(() -> {
				assertThat(desk.step("seat")).isEqualTo("seat 1");
				throw new IllegalStateException("no meal");
			}));
			assertThat(desk.rows()).containsExactly("seat");
			desk.operation(() -> {
				assertThat(desk.step("seat")).isEqualTo("seat 1");
				assertThat(desk.step("meal")).isEqualTo("meal 2");
			});
			assertThat(desk.rows()).containsExactly("seat", "meal");
		});
	}

	/**
	 * The claim gives its connection back before the transaction takes it, and the record
	 * is written on that of the work.
	 */
	@Test
	void needsOneConnection() {
		run((desk) -> {
			desk.operation(() -> {
				assertThat(desk.step("seat")).isEqualTo("seat 1");
				assertThatIllegalStateException()
					.isThrownBy(() -> desk.steps().run("meal", () -> desk.writeAndFail("meal")));
				assertThat(desk.step("meal")).isEqualTo("meal 3");
			});
			assertThat(desk.rows()).containsExactly("seat", "meal");
		}, "spring.datasource.hikari.maximum-pool-size=1");
	}

	@Test
	void undoesAStepThatFails() {
		run((desk) -> {
			IOException broken = new IOException("broken");
			desk.operation(() -> {
				assertThatExceptionOfType(IOException.class).isThrownBy(() -> desk.steps().run("seat", () -> {
					desk.write("seat");
					throw broken;
				})).isSameAs(broken);
				assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> desk.steps().run("seat", () -> {
					desk.write("seat");
					throw new StackOverflowError();
				}));
				assertThat(desk.rows()).isEmpty();
				assertThat(desk.step("seat")).isEqualTo("seat 3");
			});
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	/**
	 * A plain step would leave the outcome of these failures unknown.
	 */
	@Test
	void knowsThatAStepHasNotRunWhateverItFailsWith() {
		run((desk) -> {
			assertThatExceptionOfType(SocketTimeoutException.class)
				.isThrownBy(() -> desk.idempotency.execute(KEY, () -> desk.steps().run("seat", () -> {
					desk.write("seat");
					throw new SocketTimeoutException();
				})));
			desk.operation(() -> desk.steps().run("seat", () -> {
				assertThat(IdempotencyContext.current().attempt()).isEqualTo(1);
				desk.write("seat");
			}));
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@Test
	void isToldWhatElseAStepDoesNotKnow() {
		run((desk) -> {
			desk.operation(() -> {
				assertThatIllegalStateException().isThrownBy(() -> desk.steps().run("seat", () -> {
					IdempotencyContext.current().outcomeUnknown();
					desk.writeAndFail("seat");
				}));
				desk.steps().run("seat", () -> {
					assertThat(IdempotencyContext.current().mayHaveRun()).isTrue();
					IdempotencyContext.current().outcomeUnknown();
					desk.write("seat");
				});
			});
			desk.idempotency.execute(IdempotencyKey.of("book", "2"), () -> desk.steps().run("meal", () -> {
				IdempotencyContext.current().doNotStore();
				desk.write("meal");
			}));
			assertThat(desk.rows()).as("a step that is not to be stored is committed").containsExactly("seat", "meal");
		});
	}

	@Test
	void undoesAStepThatCannotBeCommitted() {
		run((desk) -> {
			desk.operation(() -> {
				assertThatExceptionOfType(UnexpectedRollbackException.class).isThrownBy(() -> desk.steps()
					.run("seat", () -> desk.transaction(TransactionDefinition.PROPAGATION_REQUIRED)
						.executeWithoutResult((status) -> {
							desk.write("seat");
							status.setRollbackOnly();
						})));
				assertThatIllegalStateException().isThrownBy(() -> desk.steps().run("seat", () -> {
					desk.write("seat");
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void beforeCommit(boolean readOnly) {
							throw new IllegalStateException("flushed in vain");
						}

					});
				}));
				assertThat(desk.rows()).isEmpty();
				assertThat(desk.step("seat")).isEqualTo("seat 3");
			});
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@Test
	void undoesAStepWhoseResultCannotBeStored() {
		run((desk) -> {
			desk.operation(() -> {
				assertThatIllegalStateException().isThrownBy(() -> desk.steps().run("seat", Object.class, () -> {
					desk.write("seat");
					return new Object();
				})).withMessageContaining("book > seat").withMessageContaining("is rolled back");
				assertThat(desk.rows()).isEmpty();
				assertThat(desk.step("seat")).isEqualTo("seat 2");
			});
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@ParameterizedTest
	@EnumSource(Loss.class)
	void findsOutWhatACommitHasDoneThatBrokeOff(Loss loss) {
		run((desk) -> {
			LossyDataSource dataSource = desk.bean(LossyDataSource.class);
			desk.operation(() -> {
				assertThatExceptionOfType(RuntimeException.class)
					.isThrownBy(() -> desk.steps().run("seat", String.class, () -> {
						dataSource.loseNext(loss);
						return desk.write("seat");
					}));
				dataSource.recover();
				assertThat(desk.step("seat")).isEqualTo((loss == Loss.OF_COMMIT) ? "seat 2" : "seat 1");
			});
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@Test
	void hasRunIfAListenerFailsAfterTheCommit() {
		run((desk) -> {
			desk.operation(() -> {
				assertThatIllegalStateException().isThrownBy(() -> desk.steps().run("seat", String.class, () -> {
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void afterCommit() {
							throw new IllegalStateException("nobody is told");
						}

					});
					return desk.write("seat");
				}));
				assertThat(desk.step("seat")).isEqualTo("seat 1");
			});
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@ParameterizedTest
	@MethodSource("isolations")
	void undoesAStepThatWakesUpAfterAnotherAttemptHasRunIt(Isolation isolation) {
		run(isolation, (desk) -> {
			IdempotencySession session = desk.session();
			String late = session.run("seat", 1, String.class, () -> {
				desk.write("seat");
				desk.expireLeases();
				assertThat(elsewhere(() -> session.run("seat", 1, String.class, () -> {
					assertThat(IdempotencyContext.current().attempt()).isEqualTo(2);
					return desk.write("seat");
				})).join()).isEqualTo("seat 2");
				return "too late";
			});
			assertThat(late).isEqualTo("seat 2");
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@Test
	void undoesAStepThatWakesUpWhileAnotherAttemptRunsIt() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		run((desk) -> {
			IdempotencySession session = desk.session();
			List<CompletableFuture<String>> other = new CopyOnWriteArrayList<>();
			assertThatExceptionOfType(OperationInProgressException.class)
				.isThrownBy(() -> session.run("seat", 1, String.class, () -> {
					desk.write("seat");
					desk.expireLeases();
					other.add(elsewhere(() -> session.run("seat", 1, String.class, () -> {
						begun.countDown();
						Unchecked.run(mayEnd::await);
						return desk.write("seat");
					})));
					begun.await();
					return "too late";
				}));
			mayEnd.countDown();
			assertThat(other.get(0).join()).isEqualTo("seat 2");
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@Test
	void isAcceptedLateIfNobodyHasTakenItOver() {
		run((desk) -> {
			desk.operation(() -> assertThat(desk.steps().run("seat", String.class, () -> {
				desk.expireLeases();
				return desk.write("seat");
			})).isEqualTo("seat 1"));
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@ParameterizedTest
	@MethodSource("isolations")
	void runsOnceForAllThatAskAtTheSameTime(Isolation isolation) {
		run(isolation, (desk) -> {
			IdempotencySession session = desk.session();
			List<CompletableFuture<String>> all = Stream
				.generate(() -> elsewhere(() -> session.run("seat", 1, String.class, () -> desk.write("seat"))))
				.limit(8)
				.toList();
			assertThat(all).allSatisfy((each) -> assertThat(each.join()).isEqualTo("seat 1"));
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@Test
	void refusesANameThatWasUsedInTheSameAttempt() {
		run((desk) -> desk.operation(() -> {
			desk.step("seat");
			assertThatIllegalStateException().isThrownBy(() -> desk.step("seat"));
			assertThatIllegalStateException().isThrownBy(() -> IdempotencyContext.current().steps().run("seat", () -> {
			}));
			assertThat(desk.steps().run("seat", Map.of("row", 7), String.class, () -> desk.write("seat")))
				.isEqualTo("seat 2");
		}));
	}

	@Test
	void isApartFromTheTransactionOfItsOperation() {
		run((desk) -> {
			Offices offices = desk.bean(Offices.class);
			assertThatIllegalStateException()
				.isThrownBy(() -> offices.book("1", () -> desk.step("seat"), () -> desk.writeAndFail("order")));
			assertThat(desk.rows()).containsExactly("seat");
			for (int i = 0; i < 2; i++) {
				assertThat(offices.book("1", () -> desk.step("seat"), () -> desk.write("order"))).isEqualTo("seat 1");
			}
			assertThat(desk.rows()).containsExactly("seat", "order");
		});
	}

	@Test
	void isApartFromTheStepAroundIt() {
		run((desk) -> {
			desk.operation(() -> {
				assertThatIllegalStateException().isThrownBy(() -> desk.steps().run("trip", () -> {
					desk.step("seat");
					desk.writeAndFail("trip");
				}));
				desk.steps().run("trip", () -> {
					assertThat(desk.step("seat")).isEqualTo("seat 1");
					desk.write("trip");
				});
			});
			assertThat(desk.rows()).containsExactly("seat", "trip");
		});
	}

	@Test
	void sharesItsFateWithMethodsAndSavepointsInIt() {
		run((desk) -> {
			Offices offices = desk.bean(Offices.class);
			TransactionTemplate nested = desk.transaction(TransactionDefinition.PROPAGATION_NESTED);
			desk.operation(() -> {
				assertThatIllegalStateException().isThrownBy(() -> desk.steps().run("trip", () -> {
					offices.pay("1", () -> desk.write("payment"));
					throw new IllegalStateException("no seat");
				}));
				assertThat(desk.rows()).isEmpty();
				desk.steps().run("trip", () -> {
					offices.pay("1", () -> desk.write("payment"));
					nested.executeWithoutResult((status) -> {
						desk.write("meal");
						status.setRollbackOnly();
					});
					desk.write("trip");
				});
				offices.pay("1", () -> desk.write("payment"));
			});
			assertThat(desk.rows()).containsExactly("payment", "trip");
		});
	}

	@Test
	void runsInAPipelineOnAThreadThatMayBlock() {
		run((desk) -> {
			Offices offices = desk.bean(Offices.class);
			assertThatIllegalStateException()
				.isThrownBy(() -> offices.later("1", desk::step, () -> desk.writeAndFail("meal")).block());
			assertThat(desk.rows()).containsExactly("seat", "meal");
			assertThat(offices.later("1", desk::step, () -> "no meal").block()).isEqualTo("seat 1, no meal");
			assertThat(desk.rows()).containsExactly("seat", "meal");
		});
	}

	/**
	 * What a step does elsewhere may have been done.
	 */
	@Test
	void isRefusedAfterACrashWhereItIsToldSo() {
		run((desk) -> {
			IdempotencySession refusing = desk.session().withOnCrash(OnCrash.REFUSE);
			assertThatIllegalStateException().isThrownBy(() -> refusing.run("seat", 1, () -> {
				IdempotencyContext.current().outcomeUnknown();
				desk.writeAndFail("seat");
			}));
			assertThatExceptionOfType(OutcomeUnknownException.class)
				.isThrownBy(() -> refusing.run("seat", 1, () -> desk.write("seat")));
			desk.session().run("seat", 1, () -> desk.write("seat"));
			assertThat(desk.rows()).containsExactly("seat");
		});
	}

	@Test
	void isCommittedEachTimeWhereNothingIsEnforced() {
		run((desk) -> {
			for (int i = 0; i < 2; i++) {
				desk.operation(() -> {
					assertThatIllegalStateException()
						.isThrownBy(() -> desk.steps().run("seat", () -> desk.writeAndFail("seat")));
					desk.steps().run("seat", Object.class, () -> {
						desk.write("seat");
						return new Object();
					});
				});
			}
			assertThat(desk.rows()).containsExactly("seat", "seat");
		}, "idempotency.mode=observe");
	}

	@Test
	void doesNotRunWhileTheStoreIsDown() {
		run((desk) -> desk.operation(() -> {
			desk.step("seat");
			desk.own.execute("drop table idempotency_record");
			assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> desk.step("meal"));
			assertThat(desk.rows()).containsExactly("seat");
		}));
	}

	private static <T> CompletableFuture<T> elsewhere(Supplier<T> work) {
		CompletableFuture<T> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				result.complete(work.get());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}).start();
		return result;
	}

	private void run(Story story, String... settings) {
		run(Isolation.READ_COMMITTED, story, settings);
	}

	private void run(Isolation isolation, Story story, String... settings) {
		this.runs.clear();
		String url = this.database.newUrl(isolation);
		MethodRunner.plain()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + url, "idempotency.store=jdbc",
					"idempotency.jdbc.initialize-schema=always", "spring.datasource.hikari.maximum-pool-size=3",
					"spring.datasource.hikari.connection-timeout=5000",
					"spring.datasource.hikari.transaction-isolation=" + isolation.ofPool())
			.withPropertyValues(settings)
			.withBean(LossyDataSource.Around.class)
			.withBean(Offices.class)
			.run((context) -> {
				Desk desk = new Desk(context, new JdbcTemplate(new DriverManagerDataSource(url)));
				desk.own.execute("create table booking (number int not null, what varchar(60) not null)");
				story.tell(desk);
			});
	}

	@FunctionalInterface
	private interface Story {

		void tell(Desk desk) throws Exception;

	}

	/**
	 * What work is done, and what is seen of it.
	 */
	private final class Desk {

		private final ApplicationContext context;

		private final Idempotency idempotency;

		private final JdbcTemplate jdbc;

		/**
		 * On connections of its own.
		 */
		private final JdbcTemplate own;

		private Desk(ApplicationContext context, JdbcTemplate own) {
			this.context = context;
			this.idempotency = context.getBean(Idempotency.class);
			this.jdbc = context.getBean(JdbcTemplate.class);
			this.own = own;
		}

		private <T> T bean(Class<T> type) {
			return this.context.getBean(type);
		}

		private void operation(Work.Action<Exception> work) throws Exception {
			this.idempotency.execute(KEY, work);
		}

		private Steps steps() {
			return IdempotencyContext.current().steps().transactional();
		}

		private IdempotencySession session() {
			return this.idempotency.session("trip").transactional();
		}

		private String step(String what) {
			return steps().run(what, String.class, () -> write(what));
		}

		/**
		 * Writes a row, which says how many writes came before it.
		 */
		private String write(String what) {
			StepTransactionContract.this.runs.add(what);
			int number = StepTransactionContract.this.runs.size();
			this.jdbc.update("insert into booking (number, what) values (?, ?)", number, what);
			return what + " " + number;
		}

		private String writeAndFail(String what) {
			throw new IllegalStateException(write(what));
		}

		/**
		 * What is committed.
		 */
		private List<String> rows() {
			return this.own.queryForList("select what from booking order by number", String.class);
		}

		private void expireLeases() {
			this.own.update("update idempotency_record set ends_at = created_at where state = 0");
		}

		private TransactionTemplate transaction(int propagation) {
			TransactionTemplate transaction = new TransactionTemplate(bean(PlatformTransactionManager.class));
			transaction.setPropagationBehavior(propagation);
			return transaction;
		}

	}

	static class Offices {

		@Idempotent(key = "#id", transactional = true)
		public String book(String id, Supplier<String> seat, Runnable order) {
			String booked = seat.get();
			order.run();
			return booked;
		}

		@Idempotent(key = "#id")
		public Mono<String> later(String id, UnaryOperator<String> seat, Supplier<String> meal) {
			return ReactiveIdempotencyContext.current().publishOn(Schedulers.boundedElastic()).map((operation) -> {
				try (Binding binding = operation.makeCurrent()) {
					Objects.requireNonNull(binding);
					return seat.apply("seat") + ", " + meal.get();
				}
			});
		}

		@Idempotent(key = "#id", transactional = true)
		public void pay(String id, Runnable payment) {
			payment.run();
		}

	}

}
