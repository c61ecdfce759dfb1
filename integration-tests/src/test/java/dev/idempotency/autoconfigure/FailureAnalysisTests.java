package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.DryRun;
import dev.idempotency.Idempotent;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is printed when an application does not start because of us: what is wrong, and
 * what to write.
 */
class FailureAnalysisTests {

	/**
	 * Names of settings, and not of packages.
	 */
	private static final Pattern NAMES = Pattern.compile("(?<!dev\\.)\\bidempotency\\.[a-z][a-z.-]*[a-z]");

	private static final AutoConfigurations OURS = AutoConfigurations.of(IdempotencySwitchAutoConfiguration.class,
			IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class,
			IdempotencyRedisAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
			IdempotencyMethodAutoConfiguration.class);

	private final AtomicReference<ConfigurableApplicationContext> context = new AtomicReference<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(OURS)
		.withInitializer(this.context::set);

	private final WebApplicationContextRunner webRunner = new WebApplicationContextRunner().withConfiguration(OURS)
		.withConfiguration(AutoConfigurations.of(DispatcherServletAutoConfiguration.class,
				WebMvcAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class))
		.withPropertyValues("idempotency.store=memory")
		.withInitializer(this.context::set);

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"enabled=maybe | idempotency.enabled is \"maybe\", which is neither | Write true, or false",
			"enabled= | idempotency.enabled is \"\", which is neither | Write true, or false",
			"mode=hope | idempotency.mode is \"hope\" | Write one of enforce, observe.",
			"store=cassandra | idempotency.store is \"cassandra\" | Write one of auto, memory, jdbc, redis.",
			"tools.session-key= | idempotency.tools.session-key is blank. | Write the name of an entry of the tool context",
			"tools.loop-guard=-1 | idempotency.tools.loop-guard must not be negative, but is -1. | Write 0 for no limit.",
			"tools.loop-window=0s | idempotency.tools.loop-window must be longer than 0s, but is PT0S. | Write a duration such as 10m.",
			"store=jdbc | idempotency.store is jdbc, and there is no DataSource | Add spring-boot-starter-jdbc",
			"store=redis | idempotency.store is redis, and there is no RedisConnectionFactory | Add spring-boot-starter-data-redis",
			"namespace= | idempotency.namespace must not be blank. | Leave it out to use the application's name.",
			"namespace=${long} | idempotency.namespace, or the application's name, cannot be used (namespace has 2049 characters | Write a short name.",
			"ttl=forever | idempotency.ttl is \"forever\" (\"idempotency.ttl\" from property source | Write a duration such as 30s, 10m, 24h or 7d.",
			"ttl=0s | idempotency.ttl must be at least 1ms, but is PT0S. | Write a duration such as 24h.",
			"ttl=5000d | idempotency.ttl must be at most 3650 days | Write a duration such as 24h.",
			"lease=-1s | idempotency.lease must be at least 1ms, but is PT-1S. | Write a duration such as 30s.",
			"lease=25h | idempotency.lease (PT25H) must not be longer than idempotency.ttl (PT24H) | Write a shorter lease, such as 30s, or a longer ttl.",
			"wait-timeout=-1s | idempotency.wait-timeout must be between 0s and | Write a duration such as 10s.",
			"on-store-failure=pray | idempotency.on-store-failure is \"pray\" | Write one of reject, proceed.",
			"max-replays=few | idempotency.max-replays is \"few\" | Write a whole number.",
			"max-replays=-1 | idempotency.max-replays must not be negative, but is -1. | Write 0 for no limit.",
			"operations.[POST /x].lease=soon | idempotency.operations[POST /x].lease is \"soon\" | Write a duration such as 30s, 10m, 24h or 7d.",
			"operations.[POST /x].ttl=0s | idempotency.operations.[POST /x].ttl must be between 1ms and 3650 days, but is PT0S. | Write a duration such as 24h.",
			"operations.[POST /x].lease=5000d | idempotency.operations.[POST /x].lease must be between 1ms and | Write a duration such as 30s.",
			"operations.[POST /x].wait-timeout=-1s | idempotency.operations.[POST /x].wait-timeout must be between 0s and | Write a duration such as 10s.",
			"operations.[POST /x].max-replays=-1 | idempotency.operations.[POST /x].max-replays must not be negative, but is -1. | Write 0 for no limit.",
			"operations.[POST /x].max-request-body=0 | idempotency.operations.[POST /x].max-request-body must be between 1B and 64MB, but is 0B. | Write a size such as 1MB.",
			"operations.[POST /x].max-response-body=1GB | idempotency.operations.[POST /x].max-response-body must be between 1B and 64MB | Write a size such as 1MB.",
			"operations.refund.store-events=true | idempotency.operations.[refund].store-events is for requests | Leave it out.",
			"operations.refund.max-request-body=1MB | idempotency.operations.[refund].max-request-body is for requests | Leave it out.",
			"operations.refund.fingerprint-excludes=/a | idempotency.operations.[refund].fingerprint-excludes is for requests | Leave it out.",
			"operations.[POST /x].leas=2m | idempotency.operations.POST /x.leas is not a setting of an operation | Write the name of the operation in brackets",
			"operations.com.acme.Orders.pay().lease=2m | idempotency.operations.com.acme.Orders.pay.lease is not a setting of an operation | Write the name of the operation in brackets",
			"operations.lease=2m | idempotency.operations.lease is not a setting of an operation. | Write the name of the operation in brackets",
			"encryption.key=c2hvcnQ= | idempotency.encryption.key must be 16, 24 or 32 bytes in Base64, but has 5 bytes. | Use the output of 'openssl rand -base64 32'.",
			"encryption.previous-keys=c2hvcnQ= | idempotency.encryption.previous-keys[0] must be 16, 24 or 32 bytes | Use the output of 'openssl",
			"compression.threshold=65MB | idempotency.compression.threshold must be between 0B and 64MB | Write a size such as 1KB.",
			"compression.threshold=much | idempotency.compression.threshold is \"much\" | Write a size such as 512KB or 1MB.",
			"http.header=a b | idempotency.http.header must be the name of a header | Write letters, digits and hyphens.",
			"http.key-syntax=loose | idempotency.http.key-syntax is \"loose\" | Write one of lenient, strict.",
			"http.fingerprint=md5 | idempotency.http.fingerprint is \"md5\" | Write one of bytes, canonical-json, none.",
			"http.protect=all | idempotency.http.protect is \"all\" | Write one of annotated, unsafe-methods.",
			"http.unprotected=hope | idempotency.http.unprotected is \"hope\" | Write one of ignore, warn, fail.",
			"http.max-request-body=0 | idempotency.http.max-request-body must be between 1B and 64MB | Write a size such as 1MB.",
			"http.max-response-body=1GB | idempotency.http.max-response-body must be between 1B and 64MB | Write a size such as 1MB.",
			"http.excluded-headers=ok,a:b | idempotency.http.excluded-headers must be the name of a header | Write letters,",
			"http.problem-base=a b | idempotency.http.problem-base must be the beginning of a URI | Write one such as urn:idempotency:",
			"http.documentation-url=a b | idempotency.http.documentation-url is \"a b\" | Write a URI such as https://example.org/keys.",
			"memory.max-entries=0 | idempotency.memory.max-entries must be at least 1, but is 0. | Write a value such as 100000.",
			"memory.max-size=0 | idempotency.memory.max-size must be at least 1 | Write a value such as",
			"jdbc.table=a;b | idempotency.jdbc.table must be a plain name | Write one such as idempotency_record",
			"jdbc.initialize-schema=maybe | idempotency.jdbc.initialize-schema is \"maybe\" | Write one of",
			"jdbc.timeout=0s | idempotency.jdbc.timeout must be between 1ms and 1h | Write a duration such as 5s.",
			"redis.key-prefix=a{b | idempotency.redis.key-prefix must not contain { | Write a prefix such as idempotency:.",
			"redis.key-prefix=a b | idempotency.redis.key-prefix must have between 1 and 200 characters and no blanks. | Write a prefix",
			"redis.wait-for-replicas=-1 | idempotency.redis.wait-for-replicas must not be negative, but is -1. | Write 0 to wait for none.",
			"purge.interval=2d | idempotency.purge.interval must be between 0s (never) and 1 day | Write a duration such as 10m.",
			"purge.batch=0 | idempotency.purge.batch must be between 1 and 100000 | Write a number such as 1000.",
			"client.headers.[a.org/b]=X-Key | idempotency.client.headers cannot be used: A host must be a name without scheme and port, but is \"a.org/b\" | Write one such as api.example.org.",
			"client.headers.a.org=X Key | idempotency.client.headers cannot be used: The header for a.org must be a valid name, but is \"X Key\" | Write letters, digits and hyphens." })
	void saysWhichSettingIsWrongAndWhatToWrite(String setting, String description, String action) {
		this.runner.withPropertyValues("idempotency." + setting, "long=" + "n".repeat(2049))
			.run((failed) -> assertAnalysis(failed.getStartupFailure(), description, action));
	}

	static Stream<Arguments> mistakes() {
		return Stream.of(
				Arguments.of(UnknownFunction.class, "The key \"cookie('id')\" of",
						"Write an expression of header('name')"),
				Arguments.of(WrongTtl.class, "The ttl \"soon\" of", "Write a duration such as 24h, 7d"),
				Arguments.of(WrongSize.class, "The maxRequestBody \"much\" of", "Write a size such as 512KB, 1MB"),
				Arguments.of(WrongLease.class, "cannot be used: lease must be between 1ms and 3650 days, but is PT0S",
						"Write a duration such as 30s."),
				Arguments.of(LongLease.class, "(PT25H) is longer than its ttl (PT24H)", "Write a shorter lease"),
				Arguments.of(NamedLease.class, "The lease of POST /named (PT2M) is longer than its ttl (PT1M)",
						"Write a shorter lease"),
				Arguments.of(MethodWithBody.class, "which are for web handlers", "Leave them out"),
				Arguments.of(MethodWithPointer.class, "fingerprintExcludes or storeEvents, which are for web handlers",
						"Leave them out"),
				Arguments.of(NoSuchVariable.class, "has no such variable", "Name a variable of the route."),
				Arguments.of(NoTransactions.class, "asks for dryRun = ROLLBACK, and there is no transaction manager",
						"Define a PlatformTransactionManager bean"),
				Arguments.of(Unprotected.class, "The following unsafe handlers are not protected",
						"Write @Idempotent on each"),
				Arguments.of(FinalMethod.class, "is @Idempotent and final", "Make it a public method"),
				Arguments.of(NoSuchParameter.class, "The key \"#other\" of", "Write SpEL over its arguments"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void saysWhatIsWrongWithAnAnnotationAndWhatToWrite(Class<?> mistake, String description, String action) {
		this.webRunner.withUserConfiguration(mistake)
			.withPropertyValues("idempotency.http.unprotected=fail", "idempotency.operations.[POST /named].lease=2m")
			.run((failed) -> assertAnalysis(failed.getStartupFailure(), description, action));
	}

	@Test
	void saysHowToChooseBetweenTwoStores() {
		this.runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withBean(LettuceConnectionFactory.class)
			.run((failed) -> assertAnalysis(failed.getStartupFailure(),
					"Idempotency keys can be stored in jdbc and redis, and nothing says in which",
					"Set idempotency.store to one of them"));
	}

	@Test
	void saysHowToGetAMissingTable() {
		this.runner.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=never",
					"spring.datasource.url=jdbc:h2:mem:no-table")
			.run((failed) -> {
				assertAnalysis(failed.getStartupFailure(), "The table idempotency_record is missing",
						"Run classpath:dev/idempotency/store/jdbc/schema-h2.sql");
				assertThat(ours(failed.getStartupFailure())).first()
					.extracting(FailureAnalysis::getAction)
					.asString()
					.endsWith("set idempotency.jdbc.initialize-schema=always to run it at startup, or correct "
							+ "idempotency.jdbc.table.");
			});
	}

	@Test
	void saysWhichStoreTransactionsCanJoin() {
		this.webRunner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class))
			.withUserConfiguration(Transactional.class)
			.run((failed) -> assertAnalysis(failed.getStartupFailure(), "cannot join a transaction",
					"Use idempotency.store=jdbc, or leave transactional out."));
	}

	@ParameterizedTest
	@ValueSource(strings = { "fingerprint-excludes=/a,sentAt", "fingerprint-excludes[0]=sentAt" })
	void saysWhichPointerIsWrong(String setting) {
		this.webRunner.withPropertyValues("idempotency.operations.[POST /x]." + setting)
			.run((failed) -> assertAnalysis(failed.getStartupFailure(),
					"idempotency.operations.[POST /x].fingerprint-excludes cannot be used: \"sentAt\" is not a JSON pointer",
					"Write JSON pointers to parts of the body, such as /sentAt"));
	}

	@Test
	void saysWhichFingerprintAKeyCanBeDerivedFrom() {
		this.webRunner.withPropertyValues("idempotency.http.fingerprint=none")
			.withUserConfiguration(Derived.class)
			.run((failed) -> assertAnalysis(failed.getStartupFailure(),
					"derives its key from the request, but idempotency.http.fingerprint is none.",
					"Set idempotency.http.fingerprint to canonical-json or bytes"));
	}

	/**
	 * In the sources of all modules, since nobody provokes every message.
	 */
	@Test
	void namesOnlySettingsThatExist() throws IOException {
		Set<String> known = new HashSet<>();
		Enumeration<URL> files = getClass().getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json");
		while (files.hasMoreElements()) {
			try (InputStream file = files.nextElement().openStream()) {
				known.addAll(JsonPath.<List<String>>read(file, "$['properties','groups'][*].name"));
			}
		}
		Set<String> named = new TreeSet<>();
		try (Stream<Path> sources = Files.walk(Path.of(".."))) {
			for (Path source : sources.filter((path) -> path.toString().matches("../idempotency-.*/src/main/.*\\.java"))
				.toList()) {
				String text = Files.readString(source);
				if (text.contains("new IdempotencyConfigurationException(")) {
					NAMES.matcher(text).results().map(MatchResult::group).forEach(named::add);
				}
			}
		}
		assertThat(named).hasSizeGreaterThan(20).isSubsetOf(known);
	}

	@Test
	void saysNothingOfTheFailuresOfOthers() {
		this.runner.withPropertyValues("idempotency.store=memory").withBean("broken", Object.class, () -> {
			throw new IllegalArgumentException("Something else");
		}).run((failed) -> assertThat(ours(failed.getStartupFailure())).isEmpty());
	}

	private void assertAnalysis(@Nullable Throwable failure, String description, String action) {
		assertThat(ours(failure)).first().satisfies((analysis) -> {
			assertThat(analysis.getDescription()).contains(description);
			assertThat(analysis.getAction()).startsWith(action);
		});
		assertThat(analyzers().map((analyzer) -> analyzer.analyze(Objects.requireNonNull(failure)))
			.filter(Objects::nonNull)
			.findFirst()).get().satisfies((analysis) -> assertThat(analysis.getAction()).startsWith(action));
	}

	private List<FailureAnalysis> ours(@Nullable Throwable failure) {
		assertThat(failure).isNotNull();
		return analyzers().filter((analyzer) -> analyzer.getClass().getName().startsWith("dev.idempotency."))
			.flatMap((analyzer) -> Stream.ofNullable(analyzer.analyze(Objects.requireNonNull(failure))))
			.toList();
	}

	/**
	 * All analyzers in the order in which Spring Boot asks them.
	 */
	private Stream<FailureAnalyzer> analyzers() {
		ConfigurableApplicationContext failed = Objects.requireNonNull(this.context.get());
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class,
					ArgumentResolver.of(BeanFactory.class, failed.getBeanFactory())
						.and(Environment.class, failed.getEnvironment()),
					FailureHandler.logging(LogFactory.getLog(FailureAnalysisTests.class)))
			.stream();
	}

	@RestController
	static class Transactional {

		@PostMapping("/order")
		@Idempotent(transactional = true)
		void order() {
		}

	}

	@RestController
	static class Derived {

		@PostMapping("/order")
		@Idempotent(key = "derived()")
		void order() {
		}

	}

	@RestController
	static class UnknownFunction {

		@PostMapping("/order")
		@Idempotent(key = "cookie('id')")
		void order() {
		}

	}

	@RestController
	static class WrongTtl {

		@PostMapping("/order")
		@Idempotent(ttl = "soon")
		void order() {
		}

	}

	@RestController
	static class WrongSize {

		@PostMapping("/order")
		@Idempotent(maxRequestBody = "much")
		void order() {
		}

	}

	@RestController
	static class WrongLease {

		@PostMapping("/order")
		@Idempotent(lease = "0s")
		void order() {
		}

	}

	@RestController
	static class LongLease {

		@PostMapping("/order")
		@Idempotent(lease = "25h")
		void order() {
		}

	}

	@RestController
	static class NamedLease {

		@PostMapping("/named")
		@Idempotent(ttl = "1m")
		void order() {
		}

	}

	static class MethodWithBody {

		@Idempotent(key = "#id", maxResponseBody = "1MB")
		public void pay(String id) {
		}

	}

	static class MethodWithPointer {

		@Idempotent(key = "#id", fingerprintExcludes = "/sentAt")
		public void pay(String id) {
		}

	}

	@RestController
	static class NoSuchVariable {

		@PostMapping("/order/{number}")
		@Idempotent(key = "path('id')")
		void order() {
		}

	}

	@RestController
	static class NoTransactions {

		@PostMapping("/order")
		@Idempotent(dryRun = DryRun.ROLLBACK)
		void order() {
		}

	}

	@RestController
	static class Unprotected {

		@PostMapping("/order")
		void order() {
		}

	}

	static class FinalMethod {

		@Idempotent(key = "#id")
		public final void pay(String id) {
		}

	}

	static class NoSuchParameter {

		@Idempotent(key = "#other")
		public void pay(String id) {
		}

	}

}
