package dev.idempotency.guides;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * What is booked, in a database.
 */
@Repository
class Bookings {

	private final JdbcClient jdbc;

	Bookings(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	String book(Order order) {
		this.jdbc.sql("insert into bookings (id, amount) values (?, ?)").params(order.id(), order.amount()).update();
		return "booked " + order.id();
	}

	int count() {
		return this.jdbc.sql("select count(*) from bookings").query(Integer.class).single();
	}

}
