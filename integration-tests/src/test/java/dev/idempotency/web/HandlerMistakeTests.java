package dev.idempotency.web;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyWebMvcAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What start-up says of handlers that cannot be protected the way they ask for.
 */
class HandlerMistakeTests {

	@ParameterizedTest
	@ValueSource(strings = { "property", "variable", "type", "function", "constructor", "beanReference", "syntax",
			"indirect", "index", "constant", "arguments", "chained", "computed", "joinedAlone", "joinedConstants",
			"joinedType" })
	void refusesToStartWithAKeyThatIsNoExpressionOfTheRequest(String handler) throws NoSuchMethodException {
		assertThat(startUpFailure(handler))
			.hasMessageContaining("The key \"%s\" of %s".formatted(annotation(handler).key(), name(handler)))
			.extracting(IdempotencyConfigurationException::remedy)
			.asString()
			.contains("header('name')", "body('/json/pointer')", "path('variable')", "query('parameter')", "derived()",
					"join(");
	}

	@Test
	void refusesToStartWithAKeyOfAVariableThatTheRouteDoesNotHave() {
		assertThat(startUpFailure("pathVariable"))
			.hasMessageContaining("path('typo'), but its route /orders/{id}/items/{*rest} has no such variable");
	}

	@ParameterizedTest
	@ValueSource(strings = { "authorization", "cookie" })
	void refusesToStartWithAKeyThatGrantsAccess(String handler) {
		assertThat(startUpFailure(handler)).hasMessageContaining("grants access, and keys are readable in the store");
	}

	@Test
	void refusesToStartWithADerivedKeyWhereNothingIsCompared() {
		assertThat(startUpFailure("derived", "idempotency.http.fingerprint=none"))
			.hasMessageContaining("derives its key from the request, but idempotency.http.fingerprint is none");
	}

	@ParameterizedTest
	@ValueSource(strings = { "ttl", "ttlFromNowhere" })
	void refusesToStartWithATtlThatIsNoDuration(String handler) throws NoSuchMethodException {
		assertThat(startUpFailure(handler))
			.hasMessageContaining("The ttl \"%s\" of %s".formatted(annotation(handler).ttl(), name(handler)))
			.extracting(IdempotencyConfigurationException::remedy)
			.hasToString("Write a duration such as 24h, 7d or ${orders.ttl:24h}.");
	}

	@Test
	void refusesToStartWithATtlThatCannotBe() {
		assertThat(startUpFailure("negativeTtl")).hasMessageContaining(name("negativeTtl") + "()")
			.hasMessageContaining("ttl must be between 1ms and 3650 days, but is PT-1H")
			.extracting(IdempotencyConfigurationException::remedy)
			.hasToString("Write a duration such as 24h.");
		assertThat(startUpFailure("shortTtl"))
			.hasMessageContaining("The lease of " + name("shortTtl") + "() (PT30S) is longer than its ttl")
			.extracting(IdempotencyConfigurationException::remedy)
			.hasToString("Write a shorter lease, such as 30s, or a longer ttl.");
	}

	@Test
	void refusesToStartWhereADryRunCannotBeRolledBack() {
		assertThat(startUpFailure("rollback")).hasMessageContaining(name("rollback") + "() asks for dryRun = ROLLBACK")
			.hasMessageContaining("no transaction manager")
			.extracting(IdempotencyConfigurationException::remedy)
			.asString()
			.contains("Define a PlatformTransactionManager bean");
	}

	@ParameterizedTest
	@ValueSource(strings = { "asyncRollback", "asyncEntityRollback" })
	void refusesToStartWhereADryRunWouldOutliveItsTransaction(String handler) {
		assertThat(startUpFailure(handler))
			.hasMessageContaining(name(handler) + "() asks for dryRun = ROLLBACK and answers asynchronously")
			.extracting(IdempotencyConfigurationException::remedy)
			.hasToString("Answer synchronously, or leave dryRun = ROLLBACK out.");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "wholeBody | \"\" is the whole body",
			"noPointer | \"sentAt\" is not a JSON pointer", "unknownEscape | \"/a~2\" is not a JSON pointer" })
	void refusesToStartWithAPointerThatCannotBeUsed(String handler, String problem) {
		assertThat(startUpFailure(handler))
			.hasMessageContaining(
					"The fingerprintExcludes of %s() cannot be used: %s".formatted(name(handler), problem))
			.extracting(IdempotencyConfigurationException::remedy)
			.asString()
			.contains("/sentAt", "~1 for /");
	}

	@ParameterizedTest
	@ValueSource(strings = { "bytes", "none" })
	void refusesToStartWithAPointerWhereJsonIsNotCompared(String fingerprint) {
		assertThat(startUpFailure("pointer", "idempotency.http.fingerprint=" + fingerprint))
			.hasMessageContaining("fingerprintExcludes of " + name("pointer"))
			.hasMessageContaining("idempotency.http.fingerprint is " + fingerprint);
	}

	@Test
	void refusesToStartWithAPointerWhereRequestsAreNotCompared() {
		assertThat(startUpFailure("uncompared")).hasMessageContaining(name("uncompared"))
			.hasMessageContaining("but has none: fingerprint is false");
		assertThat(startUpFailure("withoutFingerprint",
				"idempotency.operations[POST /orders/{id}/items/{*rest}].fingerprint-excludes=/a"))
			.hasMessageContaining("POST /orders/{id}/items/{*rest}")
			.hasMessageContaining("but has none: fingerprint is false");
	}

	private static Idempotent annotation(String handler) throws NoSuchMethodException {
		return Mistakes.class.getDeclaredMethod(handler).getAnnotation(Idempotent.class);
	}

	private static String name(String handler) {
		return Mistakes.class.getName() + "#" + handler;
	}

	private static IdempotencyConfigurationException startUpFailure(String handler, String... properties) {
		IdempotencyConfigurationException[] found = new IdempotencyConfigurationException[1];
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
							IdempotencyAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class))
			.withBean(Mistakes.class)
			.withBean(OneHandler.class, handler)
			.withPropertyValues(properties)
			.withPropertyValues("idempotency.store=memory")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (failure) -> found[0] = failure));
		return found[0];
	}

	/**
	 * Knows one of the handlers, so that each start meets one mistake.
	 */
	static class OneHandler extends RequestMappingHandlerMapping {

		private final String handler;

		OneHandler(String handler) {
			this.handler = handler;
		}

		@Override
		protected boolean isHandler(Class<?> type) {
			return type == Mistakes.class;
		}

		@Override
		protected @Nullable RequestMappingInfo getMappingForMethod(Method method, Class<?> type) {
			return method.getName().equals(this.handler)
					? RequestMappingInfo.paths("/orders/{id}/items/{*rest}").methods(RequestMethod.POST).build() : null;
		}

	}

	static class Mistakes {

		@Idempotent(key = "orderId")
		void property() {
		}

		@Idempotent(key = "#order.id")
		void variable() {
		}

		@Idempotent(key = "T(java.lang.Runtime)")
		void type() {
		}

		@Idempotent(key = "foo('x')")
		void function() {
		}

		@Idempotent(key = "new String('x')")
		void constructor() {
		}

		@Idempotent(key = "@bean")
		void beanReference() {
		}

		@Idempotent(key = "header('x'")
		void syntax() {
		}

		@Idempotent(key = "header('x') + path(T(java.lang.Runtime).getRuntime().toString())")
		void indirect() {
		}

		@Idempotent(key = "header('x')[0]")
		void index() {
		}

		@Idempotent(key = "'order'")
		void constant() {
		}

		@Idempotent(key = "header('a', 'b')")
		void arguments() {
		}

		@Idempotent(key = "header('x').trim()")
		void chained() {
		}

		@Idempotent(key = "header('a' + 'b')")
		void computed() {
		}

		@Idempotent(key = "join(header('x'))")
		void joinedAlone() {
		}

		@Idempotent(key = "join('a', 'b')")
		void joinedConstants() {
		}

		@Idempotent(key = "join(header('x'), T(java.lang.Math).PI)")
		void joinedType() {
		}

		@Idempotent(key = "header('Authorization')")
		void authorization() {
		}

		@Idempotent(key = "header('x') + header('COOKIE')")
		void cookie() {
		}

		@Idempotent(key = "path('id') + path('rest') + path('typo')")
		void pathVariable() {
		}

		@Idempotent(key = "derived()")
		void derived() {
		}

		@Idempotent(fingerprintExcludes = "")
		void wholeBody() {
		}

		@Idempotent(fingerprintExcludes = { "/a", "sentAt" })
		void noPointer() {
		}

		@Idempotent(fingerprintExcludes = "/a~2")
		void unknownEscape() {
		}

		@Idempotent(fingerprintExcludes = "/a")
		void pointer() {
		}

		@Idempotent(fingerprint = false, fingerprintExcludes = "/a")
		void uncompared() {
		}

		@Idempotent(fingerprint = false)
		void withoutFingerprint() {
		}

		@Idempotent(ttl = "a while")
		void ttl() {
		}

		@Idempotent(ttl = "-1h")
		void negativeTtl() {
		}

		@Idempotent(ttl = "${nowhere}")
		void ttlFromNowhere() {
		}

		@Idempotent(ttl = "1s")
		void shortTtl() {
		}

		@Idempotent(dryRun = DryRun.ROLLBACK)
		void rollback() {
		}

		@Idempotent(dryRun = DryRun.ROLLBACK)
		Callable<String> asyncRollback() {
			return () -> "paid";
		}

		@Idempotent(dryRun = DryRun.ROLLBACK)
		ResponseEntity<Callable<String>> asyncEntityRollback() {
			return ResponseEntity.ok(() -> "paid");
		}

	}

}
