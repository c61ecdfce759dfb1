package dev.idempotency.guides;

import java.util.List;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.autoconfigure.IdempotencyReactorAutoConfiguration;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.store.RecordId;
import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The code of {@code docs/steps.md} at work.
 */
@Tag("once")
class StepsGuideTests {

	@Test
	void goesOnAfterTheStepsThatHaveFinished() {
		try (TestServer server = TestServer.start(List.of(Application.class))) {
			Warehouse warehouse = server.bean(Warehouse.class);
			Payments payments = server.bean(Payments.class);
			warehouse.close();
			assertThat(checkout(server).status()).isEqualTo(500);
			assertThat(payments.charges()).hasSize(1);
			warehouse.open();
			Answer answer = checkout(server);
			assertThat(answer.text()).contains("ch-1");
			assertThat(payments.charges()).hasSize(1);
			assertThat(checkout(server).isReplay()).isTrue();
			IdempotencyKey key = IdempotencyKey.of("POST /checkouts", "k");
			server.bean(IdempotencyEngine.class).records().forget(RecordId.of(key.within("test")));
			assertThat(checkout(server).isReplay()).isFalse();
			assertThat(payments.charges()).as("a record is forgotten without its steps").hasSize(1);
			server.bean(Idempotency.class).forget(key);
			assertThat(checkout(server).isReplay()).isFalse();
			assertThat(payments.charges()).as("steps are forgotten with their operation").hasSize(2);
		}
	}

	@Test
	void doesSoOnReactorToo() {
		Payments payments = new Payments();
		Warehouse warehouse = new Warehouse();
		new Shop().runner()
			.withConfiguration(AutoConfigurations.of(IdempotencyReactorAutoConfiguration.class))
			.withBean(ReactiveCheckouts.class, () -> new ReactiveCheckouts(payments, warehouse))
			.run((context) -> {
				ReactiveCheckouts checkouts = context.getBean(ReactiveCheckouts.class);
				warehouse.close();
				assertThatIllegalStateException().isThrownBy(() -> checkouts.checkout(new Order("1", 5)).block());
				warehouse.open();
				assertThat(checkouts.checkout(new Order("1", 5)).block()).isEqualTo(new Parcel("1", "ch-1"));
				assertThat(payments.charges()).hasSize(1);
			});
	}

	@Test
	void commitsAStepWithItsResult() {
		try (TestServer server = TestServer.start(List.of(Application.class, StepwiseController.class),
				TestServer.WITH_DATABASE, "idempotency.store=jdbc", "spring.datasource.url=jdbc:h2:mem:steps-guide")) {
			JdbcTemplate jdbc = server.bean(JdbcTemplate.class);
			jdbc.execute("create table orders (id varchar(10) primary key, amount integer)");
			Warehouse warehouse = server.bean(Warehouse.class);
			warehouse.close();
			assertThat(purchase(server).status()).isEqualTo(500);
			warehouse.open();
			assertThat(purchase(server).text()).contains("ch-1");
			assertThat(jdbc.queryForList("select amount from orders")).hasSize(1);
		}
	}

	private static Answer purchase(TestServer server) {
		return server.post("/purchases").key("k").json("{\"id\":\"1\",\"amount\":5}").send();
	}

	private static Answer checkout(TestServer server) {
		return server.post("/checkouts").key("k").json("{\"id\":\"1\",\"amount\":5}").send();
	}

	@Test
	void looksAsksOrIsRefusedAfterACrash() {
		Shop shop = new Shop();
		Payments payments = new Payments();
		Order order = new Order("1", 5);
		shop.runner().withBean(Payments.class, () -> payments).withBean(Charges.class).run((context) -> {
			payments.charge(order);
			for (String method : List.of("lookingFirst", "asking", "leavingItToPeople")) {
				shop.crash("%s.%s(%s)".formatted(Charges.class.getName(), method, Order.class.getName()), "1");
			}
			Charges charges = context.getBean(Charges.class);
			assertThat(charges.lookingFirst(order)).isEqualTo(new Charge("ch-1", 5));
			assertThat(charges.asking(order)).isEqualTo(new Charge("ch-1", 5));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> charges.leavingItToPeople(order));
			assertThat(payments.charges()).hasSize(1);
		});
	}

	@Test
	void tellsTheNextAttemptThatTheBankHasNotAnswered() {
		Payments payments = new Payments();
		Order order = new Order("1", Payments.PENDING);
		new Shop().runner().withBean(Payments.class, () -> payments).withBean(Charges.class).run((context) -> {
			Charges charges = context.getBean(Charges.class);
			assertThat(charges.reporting(order)).isEqualTo(new Charge("ch-1", Payments.PENDING));
			assertThat(charges.reporting(order)).isEqualTo(new Charge("ch-1", Payments.PENDING));
			assertThat(payments.charges()).as("it is not stored").hasSize(2);
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ CheckoutController.class, Payments.class, Warehouse.class })
	static class Application {

	}

}
