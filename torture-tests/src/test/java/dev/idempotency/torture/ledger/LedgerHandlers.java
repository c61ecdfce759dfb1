package dev.idempotency.torture.ledger;

import java.security.Principal;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.core.Completion;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.torture.ledger.Journal.Entry;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * Writes into the ledger. Each answer says whose it is, and has an id that nothing else
 * has.
 */
@RestController
class LedgerHandlers {

	private static final ThreadLocal<Booked> latest = new ThreadLocal<>();

	private final Journal journal;

	private final String instance;

	LedgerHandlers(Environment environment, Journal journal) {
		this.instance = environment.getRequiredProperty("torture.instance");
		this.journal = journal;
	}

	/**
	 * What this process takes for the time.
	 */
	@GetMapping("/time")
	long time() {
		return System.currentTimeMillis();
	}

	@Idempotent
	@PostMapping("/book")
	Booked book(@RequestBody Booking booking, Principal caller, IdempotencyContext context) throws TimeoutException {
		Booked booked = begin(booking, caller, context);
		work(booking);
		write(Entry.EFFECT, booked, booking);
		if (!context.mayHaveRun() && losesItsReply(booking, context.key().value())) {
			throw new TimeoutException("The reply of the ledger is lost");
		}
		return booked;
	}

	private Booked begin(Booking booking, Principal caller, IdempotencyContext context) {
		Booked booked = new Booked(caller.getName(), context.key().value(), context.attempt(),
				UUID.randomUUID().toString(), this.instance);
		latest.set(booked);
		write(Entry.BEGUN, booked, booking);
		return booked;
	}

	/**
	 * One in eight attempts that are first ones does its work, and never hears of it. A
	 * coin decides, so that a key whose attempts are all first ones is answered, too.
	 */
	private static boolean losesItsReply(Booking booking, String key) {
		return (booking.amount() % 4 == 0 || key.startsWith(PlantedBug.RELEASED_REPORT.label()))
				&& ThreadLocalRandom.current().nextBoolean();
	}

	private static void work(Booking booking) {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(booking.millis()));
	}

	private void write(Entry entry, Booked booked, Booking booking) {
		this.journal.write(entry, booked.caller(), booked.key(), booked.attempt(), booked.id(), booked.instance(),
				booking.amount(), System.nanoTime());
	}

	/**
	 * The thread that ran the handler is the one on which its execution ends.
	 */
	void hearOf(IdempotencyEvent event) {
		if (event instanceof IdempotencyEvent.Finished finished
				&& finished.completion().kind() == Completion.Kind.FAILED) {
			Booked booked = latest.get();
			this.journal.write(Entry.UNSTORED, booked.caller(), booked.key(), booked.attempt());
		}
	}

	/**
	 * The same, with the ledger in the database.
	 */
	@RestController
	@ConditionalOnProperty(name = "idempotency.store", havingValue = "jdbc")
	static class Transactional {

		private final LedgerHandlers handlers;

		private final JdbcTemplate jdbc;

		Transactional(LedgerHandlers handlers, JdbcTemplate jdbc) {
			this.handlers = handlers;
			this.jdbc = jdbc;
		}

		@Idempotent(transactional = true)
		@PostMapping("/book-in-transaction")
		Booked book(@RequestBody Booking booking, Principal caller, IdempotencyContext context) {
			Booked booked = this.handlers.begin(booking, caller, context);
			this.jdbc.update(
					"insert into ledger (caller, idempotency_key, attempt, id, instance, amount) values (?, ?, ?, ?, ?, ?)",
					booked.caller(), booked.key(), booked.attempt(), booked.id(), booked.instance(), booking.amount());
			work(booking);
			return booked;
		}

	}

	/**
	 * What is asked for.
	 *
	 * @param millis how long it takes
	 */
	record Booking(int amount, long millis) {
	}

	/**
	 * What is answered.
	 */
	record Booked(String caller, String key, int attempt, String id, String instance) {
	}

}
