package dev.idempotency.sample.payments;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import dev.idempotency.sample.ledger.Ledger;
import dev.idempotency.sample.payments.Payment.State;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/**
 * Makes payments without any idempotency of its own: called twice, it charges twice.
 */
@Service
@Transactional
public class Payments {

	private static final String COLUMNS = "id, account, amount, purpose, state";

	private final JdbcClient database;

	private final Ledger ledger;

	Payments(JdbcClient database, Ledger ledger) {
		this.database = database;
		this.ledger = ledger;
	}

	/**
	 * Charges a customer.
	 * @param reference a reference to find the payment by, if there is one
	 */
	Payment charge(String account, Order order, @Nullable String reference) {
		Payment payment = new Payment("pay_" + UUID.randomUUID(), account, order.amount(), order.purpose(),
				State.CHARGED);
		this.database
			.sql("insert into payment (id, account, amount, purpose, state, reference) values (?, ?, ?, ?, ?, ?)")
			.params(payment.id(), account, order.amount(), order.purpose(), State.CHARGED.name())
			.param(reference)
			.update();
		this.ledger.write(account, "charged for " + order.purpose(), order.amount());
		return payment;
	}

	/**
	 * Passes the money on to the shop.
	 */
	Payment capture(String account, String id) {
		Payment payment = move(account, id, Set.of(State.CHARGED), State.CAPTURED);
		this.ledger.write(account, "paid out to the shop", payment.amount());
		return payment;
	}

	/**
	 * Gives the customer the money back.
	 */
	Payment refund(String account, String id) {
		Payment payment = move(account, id, Set.of(State.CHARGED, State.CAPTURED), State.REFUNDED);
		this.ledger.write(account, "refunded " + payment.purpose(), payment.amount().negate());
		return payment;
	}

	@Transactional(readOnly = true)
	Optional<Payment> findByReference(String reference) {
		return this.database.sql("select " + COLUMNS + " from payment where reference = ?")
			.param(reference)
			.query(Payments::payment)
			.optional();
	}

	@Transactional(readOnly = true)
	List<Payment> latest(String account, int limit) {
		return this.database
			.sql("select " + COLUMNS + " from payment where account = ? order by created_at desc limit ?")
			.params(account, limit)
			.query(Payments::payment)
			.list();
	}

	@Transactional(readOnly = true)
	Payment find(String account, String id) {
		return find(account, id, "");
	}

	private Payment find(String account, String id, String suffix) {
		return this.database.sql("select " + COLUMNS + " from payment where id = ? and account = ?" + suffix)
			.params(id, account)
			.query(Payments::payment)
			.optional()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no such payment"));
	}

	private Payment move(String account, String id, Set<State> from, State to) {
		Payment payment = find(account, id, " for update");
		if (!from.contains(payment.state())) {
			throw new ResponseStatusException(HttpStatus.UNPROCESSABLE_CONTENT,
					"The payment is already " + payment.state().name().toLowerCase(Locale.ROOT));
		}
		this.database.sql("update payment set state = ? where id = ?").params(to.name(), id).update();
		return new Payment(id, account, payment.amount(), payment.purpose(), to);
	}

	private static Payment payment(ResultSet row, int number) throws SQLException {
		return new Payment(row.getString("id"), row.getString("account"), row.getBigDecimal("amount"),
				row.getString("purpose"), State.valueOf(row.getString("state")));
	}

}
