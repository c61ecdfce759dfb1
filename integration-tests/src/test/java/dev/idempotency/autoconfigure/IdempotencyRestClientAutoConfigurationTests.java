package dev.idempotency.autoconfigure;

import java.util.List;

import dev.idempotency.client.IdempotencyKeyClientInterceptor;
import dev.idempotency.web.Bystanders;
import dev.idempotency.web.TestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class IdempotencyRestClientAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("idempotency.store=memory")
		.withConfiguration(AutoConfigurations.of(RestClientAutoConfiguration.class, RestTemplateAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, IdempotencyRestClientAutoConfiguration.class));

	/**
	 * Answers for the network.
	 */
	private @Nullable String header;

	private final ClientHttpRequestInterceptor network = (request, body, execution) -> {
		this.header = request.getHeaders()
			.headerNames()
			.stream()
			.filter((name) -> name.endsWith("-Key") || name.endsWith("-Request-Id"))
			.findFirst()
			.orElse(null);
		return new MockClientHttpResponse(new byte[0], HttpStatus.OK);
	};

	private void call(ApplicationContext context) {
		context.getBean(RestClient.Builder.class)
			.requestInterceptor(this.network)
			.build()
			.post()
			.uri("http://api.paypal.com/charges")
			.retrieve()
			.toBodilessEntity();
	}

	@Test
	void leavesClientsAloneUnlessItIsToldTo() {
		this.runner.run((context) -> {
			call(context);
			assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyKeyClientInterceptor.class);
			assertThat(this.header).isNull();
		});
	}

	@Test
	void givesTheCallsOfEveryClientKeys() {
		this.runner.withPropertyValues("idempotency.client.enabled=true").run((context) -> {
			call(context);
			assertThat(this.header).isEqualTo("Idempotency-Key");
			this.header = null;
			context.getBean(RestTemplateBuilder.class)
				.additionalInterceptors(this.network)
				.build()
				.postForLocation("http://localhost/charges", null);
			assertThat(this.header).as("what other interceptors see").isEqualTo("Idempotency-Key");
		});
	}

	@Test
	void callsTheHeaderWhatTheHostCallsIt() {
		this.runner
			.withPropertyValues("idempotency.client.enabled=true",
					"idempotency.client.headers.api.paypal.com=PayPal-Request-Id")
			.run((context) -> {
				call(context);
				assertThat(this.header).isEqualTo("PayPal-Request-Id");
			});
	}

	@Test
	void standsBeforeOtherInterceptors() {
		this.runner.withPropertyValues("idempotency.client.enabled=true")
			.withBean(RestClientCustomizer.class, () -> (builder) -> builder.requestInterceptor(this.network))
			.run((context) -> {
				call(context);
				assertThat(this.header).isEqualTo("Idempotency-Key");
			});
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		IdempotencyKeyClientInterceptor own = IdempotencyKeyClientInterceptor.retrying()
			.withHeader("api.paypal.com", "Own-Key");
		this.runner.withPropertyValues("idempotency.client.enabled=true")
			.withBean(IdempotencyKeyClientInterceptor.class, () -> own)
			.run((context) -> {
				call(context);
				assertThat(this.header).isEqualTo("Own-Key");
			});
	}

	@Test
	void leavesClientsAloneWhenEverythingIsDisabledAndIsThereForWhoeverRefersToIt() {
		this.runner
			.withPropertyValues("idempotency.client.enabled=true", "idempotency.enabled=false",
					"idempotency.client.headers.api.paypal.com=PayPal-Request-Id")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				call(context);
				assertThat(this.header).isNull();
				context.getBean(RestClient.Builder.class)
					.requestInterceptor(context.getBean(IdempotencyKeyClientInterceptor.class))
					.requestInterceptor(this.network)
					.build()
					.post()
					.uri("http://api.paypal.com/charges")
					.retrieve()
					.toBodilessEntity();
				assertThat(this.header).isEqualTo("PayPal-Request-Id");
			});
	}

	@Test
	void saysNothingWithoutClients(CapturedOutput output) {
		new ApplicationContextRunner().withPropertyValues("idempotency.store=memory", "idempotency.client.enabled=true")
			.withClassLoader(
					new FilteredClassLoader("org.springframework.boot.restclient", "org.springframework.boot.webclient",
							"org.springframework.web", "org.springframework.http", "reactor"))
			.withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class,
					IdempotencyRestClientAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyKeyClientInterceptor"));
		assertThat(output).doesNotContain("WARN", "ERROR");
	}

	@Test
	void startsWhereOneKindOfClientIsMissing(CapturedOutput output) {
		assertThat(ClassUtils.isPresent("org.springframework.boot.webclient.WebClientCustomizer", null)).isFalse();
		try (TestServer server = TestServer.start(List.of(Application.class), Bystanders.ALL,
				"idempotency.client.enabled=true")) {
			assertThat(server.bean(IdempotencyKeyClientInterceptor.class)).isNotNull();
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN")))
			.noneMatch((line) -> line.contains("lient"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
