package dev.idempotency.guides;

import java.util.List;

import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of {@code docs/transactions.md} at work.
 */
@Tag("once")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionsGuideTests {

	@AutoClose
	private TestServer server;

	private JdbcTemplate jdbc;

	@BeforeAll
	void start() {
		this.server = TestServer.start(List.of(Application.class), TestServer.WITH_DATABASE, "idempotency.store=jdbc",
				"spring.datasource.url=jdbc:h2:mem:guide");
		this.jdbc = this.server.bean(JdbcTemplate.class);
		this.jdbc.execute("create table orders (id varchar(10) primary key, amount integer)");
	}

	@BeforeEach
	void clear() {
		this.jdbc.update("delete from orders");
	}

	private Integer rows() {
		Integer rows = this.jdbc.queryForObject("select count(*) from orders", Integer.class);
		return (rows != null) ? rows : -1;
	}

	@Test
	void commitsARowAndItsKey() {
		Answer first = this.server.post("/orders").key("k-1").json("{\"id\":\"1\",\"amount\":5}").send();
		assertThat(first.status()).as("%s", first).isEqualTo(201);
		Answer again = this.server.post("/orders").key("k-1").json("{\"id\":\"1\",\"amount\":5}").send();
		assertThat(again.isReplay()).isTrue();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void commitsNeitherTheRowNorItsKey() {
		this.jdbc.update("insert into orders values ('2', 5)");
		Answer first = this.server.post("/orders").key("k-2").json("{\"id\":\"2\",\"amount\":5}").send();
		assertThat(first.status()).as("%s", first).isEqualTo(500);
		this.jdbc.update("delete from orders");
		Answer again = this.server.post("/orders").key("k-2").json("{\"id\":\"2\",\"amount\":5}").send();
		assertThat(again.status()).as("%s", again).isEqualTo(201);
		assertThat(again.isReplay()).isFalse();
	}

	@Test
	void rehearsesATransfer() {
		Answer rehearsal = this.server.post("/transfers")
			.key("k-3")
			.header("Idempotency-Dry-Run", "?1")
			.json("{\"id\":\"3\",\"amount\":5}")
			.send();
		assertThat(rehearsal.status()).as("%s", rehearsal).isEqualTo(201);
		assertThat(rows()).isZero();
		Answer first = this.server.post("/transfers").key("k-3").json("{\"id\":\"3\",\"amount\":5}").send();
		assertThat(first.isReplay()).isFalse();
		assertThat(rows()).isEqualTo(1);
	}

	@Test
	void booksOnce() {
		OrderBook book = this.server.bean(OrderBook.class);
		book.book(new Order("4", 5));
		book.book(new Order("4", 5));
		assertThat(rows()).isEqualTo(1);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ OrderController.class, OrderBook.class })
	static class Application {

	}

}
