package dev.idempotency.transactions;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A cell while it is played: the words in which situations are told.
 */
final class Scene {

	private final Stage stage;

	private final Cell cell;

	private final Strikes strikes;

	private final ProtectedCall call;

	private final ProtectedCall earlierCall;

	private final String bystander = UUID.randomUUID().toString();

	private final Deque<TransactionStatus> transactions = new ArrayDeque<>();

	private @Nullable Throwable told;

	Scene(Stage stage, Cell cell) {
		this.stage = stage;
		this.cell = cell;
		this.strikes = new Strikes(stage);
		boolean brief = cell.situation().brief();
		this.call = new ProtectedCall(stage, cell.protection(), brief);
		this.earlierCall = new ProtectedCall(stage, cell.protection(), brief);
	}

	/**
	 * Plays the cell.
	 */
	void play() {
		try {
			this.cell.situation().play().accept(this);
		}
		catch (Throwable ex) {
			this.told = ex;
		}
	}

	ProtectedCall mainCall() {
		return this.call;
	}

	ProtectedCall earlierCall() {
		return this.earlierCall;
	}

	String bystanderId() {
		return this.bystander;
	}

	/**
	 * What somebody was told of a failure, if anybody was.
	 */
	@Nullable Throwable told() {
		return this.told;
	}

	Fate fate() {
		return this.cell.fate();
	}

	/**
	 * The protected call, in whatever transaction there is, which decides.
	 */
	void call() {
		this.call.make(() -> strikeInMethod(false));
	}

	/**
	 * The protected call, whose own transaction decides.
	 */
	void callDeciding() {
		this.call.make(() -> strikeInMethod(true));
	}

	/**
	 * The same, with work that is done in a certain way.
	 */
	void callDeciding(Consumer<Runnable> way) {
		this.call.make(() -> way.accept(() -> this.stage.work(this.cell.protection(), this.call.id())),
				() -> strikeInMethod(true));
	}

	/**
	 * The protected call, in whatever transaction there is, which takes so long that its
	 * lease is renewed.
	 */
	void callSlowly() {
		makeSlowly(false);
	}

	/**
	 * The protected call once more, which comes to a good end.
	 */
	void callAgain() {
		this.call.make(() -> {
		});
	}

	/**
	 * The same, which takes so long that its lease is renewed.
	 */
	void callDecidingAndSlow() {
		makeSlowly(true);
	}

	private void makeSlowly(boolean decides) {
		this.call.make(() -> {
			read();
			this.stage.work(this.cell.protection(), this.call.id());
		}, () -> {
			awaitRenewal();
			strikeInMethod(decides);
		});
	}

	/**
	 * The protected call. If its method fails, its caller goes on.
	 */
	void callAndGoOn() {
		try {
			call();
		}
		catch (Strikes.Failure ex) {
			if (fate() != Fate.METHOD_THROWS_CALLER_GOES_ON) {
				throw ex;
			}
			this.told = ex;
		}
	}

	/**
	 * The same, and then the fate strikes.
	 */
	void callAndStrike() {
		callAndGoOn();
		strike();
	}

	/**
	 * Another protected call, under another key, which comes to a good end.
	 */
	void callEarlier() {
		this.earlierCall.make(() -> {
		});
	}

	private void strikeInMethod(boolean decides) {
		if (decides || fate().strikesInMethod()) {
			this.strikes.strike(fate(), this::setRollbackOnlyFromInside);
		}
	}

	/**
	 * The fate strikes the present transaction, unless it is that of the method.
	 */
	void strike() {
		if (!fate().strikesInMethod()) {
			this.strikes.strike(fate(),
					this.transactions.isEmpty() ? this::setRollbackOnlyFromInside : this::setRollbackOnly);
		}
	}

	/**
	 * Reads something: from now on, a transaction may be blind to what others do.
	 */
	void read() {
		this.stage.parts().jdbc().queryForList("select item from catalogue");
	}

	/**
	 * Writes something that is not protected.
	 */
	void write() {
		this.stage.parts().jdbc().update("insert into bystander (cell) values (?)", this.bystander);
	}

	void readAndWrite() {
		read();
		write();
	}

	/**
	 * Waits until a lease has been renewed.
	 */
	void awaitRenewal() {
		int before = this.stage.parts().renewals().count();
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofSeconds(3))
			.until(() -> this.stage.parts().renewals().count() > before);
	}

	/**
	 * A transaction of the application's manager, or a part in the present one.
	 */
	void transaction(Runnable work) {
		in(this.stage.parts().manager(), TransactionDefinition.PROPAGATION_REQUIRED, false, work);
	}

	void newTransaction(Runnable work) {
		in(this.stage.parts().manager(), TransactionDefinition.PROPAGATION_REQUIRES_NEW, false, work);
	}

	void nestedTransaction(Runnable work) {
		in(this.stage.parts().manager(), TransactionDefinition.PROPAGATION_NESTED, false, work);
	}

	void readOnlyTransaction(Runnable work) {
		in(this.stage.parts().manager(), TransactionDefinition.PROPAGATION_REQUIRED, true, work);
	}

	/**
	 * A transaction of a manager of another database.
	 */
	void otherTransaction(boolean jpa, Runnable work) {
		in(this.stage.other(jpa), TransactionDefinition.PROPAGATION_REQUIRED, false, work);
	}

	void newOtherTransaction(boolean jpa, Runnable work) {
		in(this.stage.other(jpa), TransactionDefinition.PROPAGATION_REQUIRES_NEW, false, work);
	}

	private void in(PlatformTransactionManager manager, int propagation, boolean readOnly, Runnable work) {
		TransactionTemplate template = new TransactionTemplate(manager);
		template.setPropagationBehavior(propagation);
		template.setReadOnly(readOnly);
		if (manager == this.stage.parts().manager()) {
			template.setIsolationLevel(this.cell.isolation().level());
		}
		template.executeWithoutResult((status) -> {
			this.transactions.push(status);
			try {
				work.run();
			}
			finally {
				this.transactions.pop();
			}
		});
	}

	/**
	 * The transaction that was begun last.
	 */
	TransactionStatus status() {
		return Objects.requireNonNull(this.transactions.peek(), "there is no transaction");
	}

	/**
	 * The transaction that was begun last is to be rolled back.
	 */
	void setRollbackOnly() {
		status().setRollbackOnly();
	}

	/**
	 * The present transaction is to be rolled back, says somebody who takes part in it.
	 */
	private void setRollbackOnlyFromInside() {
		boolean ofOther = this.cell.protection() == Protection.OF_OTHER;
		new TransactionTemplate(ofOther ? this.stage.other(false) : this.stage.parts().manager())
			.executeWithoutResult((status) -> status.setRollbackOnly());
	}

	/**
	 * Does something that fails or does not, and goes on.
	 */
	void goOnAfter(Runnable work) {
		try {
			work.run();
		}
		catch (Throwable ex) {
			this.told = ex;
		}
		finally {
			// What did not strike there is not to strike later
			this.stage.parts().lastMoment().clear();
		}
	}

	/**
	 * Fails, as somebody intends.
	 */
	void fail() {
		this.strikes.strike(Fate.CALLER_THROWS, this::setRollbackOnly);
	}

	/**
	 * Somebody knows that the work is undone, having done it.
	 */
	void undoneOnPurpose() {
		this.told = new IllegalStateException("undone on purpose");
	}

	void beforeCommit(int order, Runnable work) {
		register(new At(order) {

			@Override
			public void beforeCommit(boolean readOnly) {
				work.run();
			}

		});
	}

	void afterCommit(Runnable work) {
		register(new At(0) {

			@Override
			public void afterCommit() {
				work.run();
			}

		});
	}

	void afterCompletion(Runnable work) {
		register(new At(0) {

			@Override
			public void afterCompletion(int status) {
				work.run();
			}

		});
	}

	private static void register(TransactionSynchronization synchronization) {
		TransactionSynchronizationManager.registerSynchronization(synchronization);
	}

	/**
	 * Does something in a listener of events, before the commit.
	 */
	void atLast(Runnable work) {
		this.stage.parts().context().publishEvent(new MatrixApplication.AtLast(work));
	}

	/**
	 * Does something in the transaction of a protected handler.
	 */
	void inHandler(Runnable work) {
		this.stage.request(UUID.randomUUID().toString(), false, () -> {
			work.run();
			return "done";
		});
	}

	/**
	 * Lets a filter do something around the handler of the protected call.
	 */
	void surroundedBy(Consumer<Runnable> surrounding) {
		this.stage.parts().handlers().surround(this.call.id(), surrounding);
	}

	/**
	 * A synchronization with a place among others.
	 */
	private abstract static class At implements TransactionSynchronization {

		private final int order;

		private At(int order) {
			this.order = order;
		}

		@Override
		public int getOrder() {
			return this.order;
		}

	}

}
