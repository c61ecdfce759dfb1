package dev.idempotency.method;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.StoredAnswers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What cannot work stops the start, and says why and what to write.
 */
class MethodMistakeTests {

	private final ApplicationContextRunner runner = MethodRunner.plain();

	static Stream<Arguments> mistakes() {
		return Stream.of(arguments(PrivateMethod.class, "private", "public method"),
				arguments(FinalMethod.class, "final", "public method"),
				arguments(StaticMethod.class, "static", "public method"),
				arguments(WithoutKey.class, "it is blank", "SpEL over its arguments"),
				arguments(NotRequired.class, "always needs its key", "Leave required out"),
				arguments(DryRunning.class, "dryRun or store", "storeExceptions"),
				arguments(Storing.class, "dryRun or store", "storeExceptions"),
				arguments(StoringEvents.class, "storeEvents, which are for web handlers", "a method has no body"),
				arguments(BadTtl.class, "The ttl \"soon\"", "24h"),
				arguments(ReturnsObject.class, "does not tell what to read", "@JsonTypeInfo(use = NAME)"),
				arguments(ReturnsAnything.class, "does not tell what to read", "@JsonTypeInfo(use = NAME)"),
				arguments(ReturnsInterface.class, "could be stored, but not read back", "@JsonTypeInfo(use = NAME)"),
				arguments(ReturnsNamedClass.class, "names its class", "@JsonTypeInfo(use = NAME)"),
				arguments(ReturnsStream.class, "java.util.stream.Stream", "Return a value"),
				arguments(ReturnsInput.class, "java.io.InputStream", "Return a value"),
				arguments(ReturnsFuture.class, "java.util.concurrent.Future", "CompletableFuture"),
				arguments(ReturnsPublisher.class, "Publisher", "CompletableFuture"),
				arguments(ReturnsFlux.class, "reactor.core.publisher.Flux, which may have many results",
						"collectList()"),
				arguments(ReturnsReactivePublisher.class, "which may have many results", "collectList()"),
				arguments(ReturnsRawMono.class, "does not tell what to read", "@JsonTypeInfo(use = NAME)"),
				arguments(MonoVerifiedByText.class,
						"must return Optional<java.lang.Integer> or Mono<java.lang.Integer>",
						"Name a method of the same bean"),
				arguments(TransactionalMono.class, "answers asynchronously", "leave transactional out"),
				arguments(ReturnsRawFuture.class, "does not tell what to read", "@JsonTypeInfo(use = NAME)"),
				arguments(VerifiedByNobody.class, "there is no method nobody", "Name a method of the same bean"),
				arguments(VerifiedByText.class, "must return Optional", "Name a method of the same bean"),
				arguments(VerifiedByOptional.class, "must return boolean", "Name a method of the same bean"),
				arguments(VerifiedWithOthers.class, "with the same parameters", "Name a method of the same bean"),
				arguments(TransactionalLater.class, "answers asynchronously", "leave transactional out"),
				arguments(TransactionalNowhere.class, "there is no transaction manager",
						"Define a PlatformTransactionManager bean"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void stopsForAMistake(Class<?> bean, String problem, String remedy) {
		this.runner.withBean(bean).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).isInstanceOfSatisfying(IdempotencyConfigurationException.class,
					(ex) -> {
						assertThat(ex).hasMessageContaining(bean.getSimpleName()).hasMessageContaining(problem);
						assertThat(ex.remedy()).asString().contains(remedy);
					});
		});
	}

	@Test
	void looksAtBeansThatAreCreatedLater() {
		this.runner.withBean(WithoutKey.class, WithoutKey::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).hasFailed());
		this.runner.withBean(WithoutKey.class, WithoutKey::new, (definition) -> definition.setScope("prototype"))
			.run((context) -> assertThat(context).hasFailed());
	}

	static class PrivateMethod {

		@Idempotent(key = "#id")
		@SuppressWarnings({ "UnusedMethod", "UnusedVariable" })
		private void pay(String id) {
		}

	}

	static class FinalMethod {

		@Idempotent(key = "#id")
		public final void pay(String id) {
		}

	}

	static class StaticMethod {

		@Idempotent(key = "#id")
		public static void pay(String id) {
		}

	}

	static class WithoutKey {

		@Idempotent
		public void pay(String id) {
		}

	}

	static class NotRequired {

		@Idempotent(key = "#id", required = false)
		public void pay(String id) {
		}

	}

	static class DryRunning {

		@Idempotent(key = "#id", dryRun = DryRun.ROLLBACK)
		public void pay(String id) {
		}

	}

	static class Storing {

		@Idempotent(key = "#id", store = StoredAnswers.ALL)
		public void pay(String id) {
		}

	}

	static class StoringEvents {

		@Idempotent(key = "#id", storeEvents = true)
		public void pay(String id) {
		}

	}

	static class BadTtl {

		@Idempotent(key = "#id", ttl = "soon")
		public void pay(String id) {
		}

	}

	static class ReturnsObject {

		@Idempotent(key = "#id")
		public Object pay(String id) {
			return id;
		}

	}

	static class ReturnsAnything {

		@Idempotent(key = "#id")
		public <T> @Nullable T pay(String id, T value) {
			return value;
		}

	}

	static class ReturnsInterface {

		@Idempotent(key = "#id")
		public @Nullable Runnable pay(String id) {
			return null;
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
	interface Named {

	}

	static class ReturnsNamedClass {

		@Idempotent(key = "#id")
		public List<Optional<Named>> pay(String id) {
			return List.of();
		}

	}

	static class ReturnsStream {

		@Idempotent(key = "#id")
		public Stream<String> pay(String id) {
			return Stream.of(id);
		}

	}

	static class ReturnsInput {

		@Idempotent(key = "#id")
		public InputStream pay(String id) {
			return InputStream.nullInputStream();
		}

	}

	static class ReturnsFuture {

		@Idempotent(key = "#id")
		public Future<String> pay(String id) {
			return CompletableFuture.completedFuture(id);
		}

	}

	static class ReturnsPublisher {

		@Idempotent(key = "#id")
		public Flow.@Nullable Publisher<String> pay(String id) {
			return null;
		}

	}

	static class ReturnsFlux {

		@Idempotent(key = "#id")
		public Flux<String> pay(String id) {
			return Flux.just(id);
		}

	}

	static class ReturnsReactivePublisher {

		@Idempotent(key = "#id")
		public Publisher<String> pay(String id) {
			return Mono.just(id);
		}

	}

	static class ReturnsRawMono {

		@SuppressWarnings("rawtypes")
		@Idempotent(key = "#id")
		public Mono pay(String id) {
			return Mono.just(id);
		}

	}

	static class MonoVerifiedByText {

		@Idempotent(key = "#id", verify = "text")
		public Mono<Integer> pay(String id) {
			return Mono.just(1);
		}

		Mono<String> text(String id) {
			return Mono.just(id);
		}

	}

	static class TransactionalMono {

		@Idempotent(key = "#id", transactional = true)
		public Mono<String> pay(String id) {
			return Mono.just(id);
		}

	}

	static class ReturnsRawFuture {

		@SuppressWarnings("rawtypes")
		@Idempotent(key = "#id")
		public CompletableFuture pay(String id) {
			return CompletableFuture.completedFuture(id);
		}

	}

	static class VerifiedByNobody {

		@Idempotent(key = "#id", verify = "nobody")
		public void pay(String id) {
		}

	}

	static class VerifiedByText {

		@Idempotent(key = "#id", verify = "text")
		public int pay(String id) {
			return 1;
		}

		public Optional<String> text(String id) {
			return Optional.empty();
		}

	}

	static class VerifiedByOptional {

		@Idempotent(key = "#id", verify = "optional")
		public void pay(String id) {
		}

		public Optional<String> optional(String id) {
			return Optional.empty();
		}

	}

	static class VerifiedWithOthers {

		@Idempotent(key = "#id", verify = "isDone")
		public void pay(String id) {
		}

		public boolean isDone(int id) {
			return true;
		}

	}

	static class TransactionalLater {

		@Idempotent(key = "#id", transactional = true)
		public CompletableFuture<String> pay(String id) {
			return CompletableFuture.completedFuture(id);
		}

	}

	static class TransactionalNowhere {

		@Idempotent(key = "#id", transactional = true)
		public void pay(String id) {
		}

	}

}
