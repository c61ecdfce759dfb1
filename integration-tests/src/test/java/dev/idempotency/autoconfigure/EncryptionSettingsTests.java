package dev.idempotency.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.fixtures.MapStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@ExtendWith(OutputCaptureExtension.class)
class EncryptionSettingsTests {

	private static final String SECRET = Base64.getEncoder()
		.encodeToString("sixteen letters!".getBytes(StandardCharsets.US_ASCII));

	private static final IdempotencyKey KEY = IdempotencyKey.of("pay", "key").within("shop");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("idempotency.store=memory", "idempotency.namespace=shop")
		.withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class));

	@Test
	void encryptsWithTheConfiguredKey() {
		this.runner.withPropertyValues("idempotency.encryption.key=" + SECRET).run((context) -> {
			StoredResult kept = completed(context, "paid");
			assertThat(kept.isPacked()).isTrue();
			assertThat(new String(kept.toFrame(), StandardCharsets.ISO_8859_1)).doesNotContain("paid");
			assertThat(begin(context)).isEqualTo(new Decision.Replay(StoredResult.of(bytes("paid")), null));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "idempotency.encryption.key=", "idempotency.encryption.previous-keys=",
			"idempotency.encryption.previous-keys=AAAAAAAAAAAAAAAAAAAAAA==" })
	void encryptsNothingWithoutAKey(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(completed(context, "paid")).isEqualTo(StoredResult.of(bytes("paid"))));
	}

	@Test
	void compressesFromTheConfiguredSizeOn() {
		this.runner.withPropertyValues("idempotency.compression.threshold=5000B")
			.run((context) -> assertThat(completed(context, "paid ".repeat(1000)).size()).isLessThan(200));
		this.runner.withPropertyValues("idempotency.compression.threshold=6000B")
			.run((context) -> assertThat(completed(context, "paid ".repeat(1000)).size()).isEqualTo(5002));
	}

	@Test
	void compressesLargeResultsUnlessTheyStayInMemory() {
		String large = "paid".repeat(4 * 1024);
		this.runner.run((context) -> assertThat(completed(context, large).size()).isEqualTo(large.length() + 2));
		this.runner.withBean(MapStore.class, Clock.systemUTC())
			.run((context) -> assertThat(context.getBean(IdempotencyEngine.class).settings().packing())
				.hasToString("ResultPacking[compressing from 16384 bytes, not encrypting]"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"idempotency.encryption.key=c2hvcnQ= | idempotency.encryption.key must be 16, 24 or 32 bytes in Base64, but has 5 bytes",
			"idempotency.encryption.key=what? | idempotency.encryption.key must be 16, 24 or 32 bytes in Base64, but is not valid Base64",
			"idempotency.encryption.previous-keys=c2hvcnQ= | idempotency.encryption.previous-keys[0] must be 16, 24 or 32 bytes",
			"idempotency.compression.threshold=-1B | idempotency.compression.threshold must be between 0B and 64MB, but is -1B",
			"idempotency.compression.threshold=65MB | idempotency.compression.threshold must be between 0B and 64MB" })
	void refusesToStartWithAWrongSettingAndSaysWhatToWrite(String property, String message) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
	}

	@ParameterizedTest
	@ValueSource(strings = { "idempotency.encryption.key=", "idempotency.encryption.previous-keys=",
			"idempotency.encryption.previous-keys[0]=", "idempotency.encryption.previousKeys=" })
	void keepsAWrongKeyOutOfTheReportOfAFailedStart(String setting, CapturedOutput output) {
		String wrong = "bm8tZ29vZC1zZWNyZXQ";
		startInVain("--" + setting + wrong);
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("idempotency.encryption.")
			.contains("openssl rand -base64 32")
			.doesNotContain(wrong);
	}

	@Test
	void keepsARightKeyOutOfTheReportOfAnotherWrongSetting(CapturedOutput output) {
		startInVain("--idempotency.encryption.key=" + SECRET, "--idempotency.lease=48h");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("must not be longer than idempotency.ttl")
			.doesNotContain(SECRET);
	}

	@Test
	void keepsAKeyInTheWrongPlaceOutOfTheReport(CapturedOutput output) {
		startInVain("--idempotency.encryption=" + SECRET, "--idempotency.lease=48h");
		assertThat(output).contains("APPLICATION FAILED TO START").doesNotContain(SECRET);
	}

	@Test
	void tellsNothingOfItsKeys() {
		this.runner.withPropertyValues("idempotency.encryption.key=" + SECRET)
			.run((context) -> assertThat(context.getBean(IdempotencyProperties.class).toString()).contains("encryption")
				.doesNotContain(SECRET));
	}

	private static void startInVain(String... arguments) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		String[] all = Arrays.copyOf(arguments, arguments.length + 1);
		all[arguments.length] = "--idempotency.store=memory";
		assertThatException().isThrownBy(() -> application.run(all));
	}

	private static StoredResult completed(ApplicationContext context, String text) {
		((Decision.Proceed) begin(context)).execution().complete(bytes(text));
		return Objects.requireNonNull(context.getBean(InMemoryIdempotencyStore.class).find(KEY).orElseThrow().result());
	}

	private static Decision begin(ApplicationContext context) {
		return context.getBean(IdempotencyEngine.class)
			.begin(new Attempt(KEY, Fingerprint.none(), context.getBean(OperationPolicy.class)));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(IdempotencyAutoConfiguration.class)
	static class Application {

	}

}
