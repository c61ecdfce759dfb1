package dev.idempotency.web;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.method.MethodRunner;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is written in Kotlin, in one class, so that it is compiled once.
 */
@Tag("slow")
class KotlinTests {

	@Nested
	class OnSpringMvc extends KotlinHttpContract {

		@Override
		TestServer start(List<Class<?>> sources) {
			return TestServer.start(sources);
		}

		/**
		 * Tomcat notices when it sends something, and not before.
		 */
		@Override
		void awaitThatHangUpsAreNoticed() {
		}

	}

	@Nested
	class OnWebFlux extends KotlinHttpContract {

		@Override
		TestServer start(List<Class<?>> sources) {
			return Reactive.start(sources);
		}

		@Override
		List<Class<?>> sources() {
			List<Class<?>> sources = super.sources();
			sources.addAll(List.of(kotlin("ReactiveHandlers"), kotlin("RouteConfiguration")));
			return sources;
		}

		/**
		 * A handler without protection is cancelled.
		 */
		@Override
		void awaitThatHangUpsAreNoticed() {
			String name = TestServer.newKey();
			Wire wire = Wire.post(server(), "/plain/held", name);
			journal().awaitArrival(name);
			wire.hangUp();
			await().pollDelay(Duration.ZERO).until(() -> journal().of(name) == 1);
		}

		@Test
		void replaysWhatAnExceptionHandlerAnswersThatSuspends() {
			runsOnceAndAnswersAsWithoutProtection("handled-suspending", 402);
		}

		@Test
		void findsItsContextInTheCoroutine() {
			String key = TestServer.newKey();
			assertThat(server().post("/current").key(key).send().text()).isEqualTo(key);
		}

		@ParameterizedTest
		@CsvSource({ "route, 201", "route-without-a-body, 204" })
		void runsARouteOnce(String route, int status) {
			String key = TestServer.newKey();
			Answer first = server().post("/" + route).key(key).send();
			assertThat(first.status()).isEqualTo(status);
			server().post("/" + route).key(key).send().assertExactReplayOf(first);
			assertThat(journal().of(route)).isOne();
			server().post("/" + route).send().assertProblem(400, "key-missing");
		}

		@Test
		void givesTheKeyBackWhenARouteFails() {
			String key = TestServer.newKey();
			for (int attempt = 0; attempt < 2; attempt++) {
				assertThat(server().post("/route-failing").key(key).send().status()).isEqualTo(500);
			}
			assertThat(journal().of("route-failing")).isEqualTo(2);
		}

	}

	/**
	 * Protected methods of other beans.
	 */
	@Nested
	class Methods {

		private static Class<?> bean(String name) {
			return KotlinSources.type("dev.idempotency.method.kotlin." + name);
		}

		private static ApplicationContextRunner runner() {
			return MethodRunner.plain()
				.withClassLoader(bean("Payments").getClassLoader())
				.withPropertyValues("idempotency.store=memory");
		}

		@ParameterizedTest
		@CsvSource({ "SuspendingPayments, returns a result by suspending, mono { ... }",
				"FlowingPayments, 'kotlinx.coroutines.flow.Flow, which may have many results', collectList()" })
		void stopsForWhatCannotBeGivenOutAgain(String bean, String problem, String remedy) {
			runner().withBean(bean(bean)).run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).isInstanceOfSatisfying(IdempotencyConfigurationException.class,
						(ex) -> {
							assertThat(ex).hasMessageContaining(bean + ".pay(").hasMessageContaining(problem);
							assertThat(ex.remedy()).asString().contains(remedy);
						});
			});
		}

		@Test
		void runsACoroutineInAMonoOnce() {
			runner().withBean("payments", bean("Payments")).run((context) -> {
				@SuppressWarnings("unchecked")
				Function<String, Mono<String>> payments = context.getBean("payments", Function.class);
				assertThat(payments.apply("a").block()).isEqualTo("a 1");
				assertThat(payments.apply("a").block()).isEqualTo("a 1");
				assertThat(payments.apply("b").block()).isEqualTo("b 2");
			});
		}

	}

}
