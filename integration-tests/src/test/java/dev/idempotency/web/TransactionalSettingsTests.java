package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What start-up says about {@code transactional = true} where it cannot work.
 */
class TransactionalSettingsTests {

	private static final String[] JDBC = { "idempotency.store=jdbc", TestServer.WITH_DATABASE,
			"spring.datasource.url=jdbc:h2:mem:transactional-settings" };

	@Test
	void startsWhereStoreAndTransactionsBelongTogether() {
		TestServer.start(List.of(WebTestApplication.class, Plain.class), JDBC).close();
	}

	@Test
	void refusesAStoreThatCannotJoin() {
		assertThat(startUpFailure(Plain.class, TestServer.WITH_DATABASE,
				"spring.datasource.url=jdbc:h2:mem:transactional-memory"))
			.hasMessageContaining(Plain.class.getName() + "#pay()")
			.hasMessageContaining("cannot join a transaction")
			.extracting(IdempotencyConfigurationException::remedy)
			.asString()
			.contains("idempotency.store=jdbc");
	}

	@Test
	void refusesTransactionsOfAnotherDatabase() {
		assertThat(startUpFailure(Elsewhere.class, JDBC))
			.hasMessageContaining("does not manage the database of the idempotency store")
			.extracting(IdempotencyConfigurationException::remedy)
			.asString()
			.contains("same DataSource");
	}

	@Test
	void refusesToGoWithoutTransactions() {
		assertThat(startUpFailure(Plain.class)).hasMessageContaining("asks for transactional = true")
			.hasMessageContaining("no transaction manager");
	}

	@ParameterizedTest
	@ValueSource(classes = { Async.class, AsyncEntity.class, Events.class })
	void refusesHandlersThatAnswerAsynchronously(Class<?> controller) {
		assertThat(startUpFailure(controller, JDBC)).hasMessageContaining("asks for transactional = true")
			.hasMessageContaining("answers asynchronously");
	}

	@Test
	void refusesRoutesToo() {
		assertThat(startUpFailure(Route.class, TestServer.WITH_DATABASE,
				"spring.datasource.url=jdbc:h2:mem:transactional-route"))
			.hasMessageContaining("A route")
			.hasMessageContaining("cannot join a transaction");
	}

	private static IdempotencyConfigurationException startUpFailure(Class<?> source, String... properties) {
		Throwable failure = catchThrowableOfType(Throwable.class,
				() -> TestServer.start(List.of(WebTestApplication.class, source), properties).close());
		while (failure != null && !(failure instanceof IdempotencyConfigurationException)) {
			failure = failure.getCause();
		}
		assertThat(failure).as("a failure to start").isNotNull();
		return (IdempotencyConfigurationException) failure;
	}

	@RestController
	static class Plain {

		@Idempotent(transactional = true)
		@PostMapping("/pay")
		String pay() {
			return "paid";
		}

	}

	@RestController
	static class Async {

		@Idempotent(transactional = true)
		@PostMapping("/pay")
		Callable<String> pay() {
			return () -> "paid";
		}

	}

	@RestController
	static class AsyncEntity {

		@Idempotent(transactional = true)
		@PostMapping("/pay")
		CompletableFuture<ResponseEntity<String>> pay() {
			return CompletableFuture.completedFuture(ResponseEntity.ok("paid"));
		}

	}

	@RestController
	static class Events {

		@Idempotent(transactional = true, storeEvents = true)
		@PostMapping("/pay")
		Object pay() {
			return new SseEmitter();
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Elsewhere extends Plain {

		@Bean
		@Primary
		PlatformTransactionManager elsewhere() {
			DataSource other = new DriverManagerDataSource("jdbc:h2:mem:elsewhere");
			return new JdbcTransactionManager(other);
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Route {

		@Bean
		RouterFunction<ServerResponse> transactionalRoute(IdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/pay", (request) -> ServerResponse.ok().build())
				.filter(idempotency.withTransaction())
				.build();
		}

	}

}
