package dev.idempotency.autoconfigure;

import java.util.Map;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.call.IdempotencyTemplate;
import dev.idempotency.call.ResultCodec;
import dev.idempotency.core.GivenResult;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.method.IdempotencyMethods;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class IdempotencyMethodAutoConfigurationTests {

	private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(IdempotencyAutoConfiguration.class,
			IdempotencyTransactionAutoConfiguration.class, IdempotencyMethodAutoConfiguration.class,
			IdempotencySwitchAutoConfiguration.class);

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(CONFIGURATIONS)
		.withPropertyValues("idempotency.store=memory");

	@Test
	void protectsMethodsWithoutAnythingElse() {
		this.runner.withBean(Counter.class).run((context) -> {
			assertThat(context).hasSingleBean(IdempotencyMethods.class).hasSingleBean(Idempotency.class);
			assertThat(context.getBean(Counter.class).next("1")).isEqualTo(1);
			assertThat(context.getBean(Counter.class).next("1")).isEqualTo(1);
		});
	}

	@Test
	void takesFromOperatorsWhatTheMethodCouldHaveReturned() {
		this.runner.withBean(Counter.class).run((context) -> {
			String operation = context.getBean(IdempotencyMethods.class).operations().get(0).name();
			ResultWriter writer = context.getBeanProvider(ResultWriter.class).orderedStream().toList().get(0);
			assertThat(writer.write(operation, new GivenResult.Value("7"))).isPresent();
			assertThat(writer.write("by hand", new GivenResult.Value("7"))).as("not a method").isEmpty();
			assertThatIllegalArgumentException()
				.isThrownBy(() -> writer.write(operation, new GivenResult.Value("\"seven\"")))
				.withMessageContaining("not what " + operation + " returns");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> writer.write(operation, new GivenResult.Value("null")));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> writer.write(operation, new GivenResult.Answer(200, Map.of(), "7")));
		});
	}

	@Test
	void leavesOtherBeansAlone() {
		this.runner.withBean(Plain.class)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Plain.class))).isFalse());
	}

	@Test
	void protectsNothingWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false").withBean(Counter.class).run((context) -> {
			assertThat(context).doesNotHaveBean(IdempotencyMethods.class).hasSingleBean(Idempotency.class);
			Counter counter = context.getBean(Counter.class);
			assertThat(counter.next("0")).isEqualTo(1);
			Idempotency idempotency = context.getBean(Idempotency.class);
			IdempotencyKey key = IdempotencyKey.of("count", "1");
			assertThat(idempotency.execute(key, Integer.class, () -> counter.next("1"))).isEqualTo(2);
			assertThat(idempotency.execute(key, Integer.class, () -> counter.next("1"))).isEqualTo(3);
			assertThat(idempotency.session("s").run("tool", 1, Integer.class, () -> counter.next("1"))).isEqualTo(4);
		});
	}

	@Test
	void backsOffForTheApplicationsOwnFaceAndCodec() {
		this.runner.withBean("own", Idempotency.class, IdempotencyTemplate::disabled)
			.withBean("codec", ResultCodec.class, () -> new ResultCodec(JsonMapper.shared()))
			.run((context) -> assertThat(context).hasSingleBean(Idempotency.class)
				.hasBean("own")
				.hasSingleBean(ResultCodec.class)
				.hasBean("codec"));
	}

	@Test
	void writesResultsAsTheApplicationDoes() {
		this.runner
			.withBean(JsonMapper.class,
					() -> JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build())
			.withBean(Counter.class)
			.run((context) -> {
				Counter counter = context.getBean(Counter.class);
				assertThat(counter.receipt("1")).isEqualTo(new Receipt(1)).isEqualTo(counter.receipt("1"));
			});
	}

	@Test
	void protectsMethodsOfReactiveApplications() {
		new ReactiveWebApplicationContextRunner().withConfiguration(CONFIGURATIONS)
			.withPropertyValues("idempotency.store=memory")
			.withBean(Counter.class)
			.run((context) -> assertThat(context.getBean(Counter.class).next("1")).isEqualTo(1));
	}

	@Test
	void leavesHandlersToTheHttpEdge() {
		this.runner.withBean(Handlers.class)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Handlers.class))).isFalse());
	}

	record Receipt(int runningNumber) {
	}

	static class Counter {

		private int count;

		@Idempotent(key = "#id")
		public int next(String id) {
			return ++this.count;
		}

		@Idempotent(key = "#id")
		public Receipt receipt(String id) {
			return new Receipt(++this.count);
		}

	}

	static class Plain {

		public String hello(String id) {
			return id;
		}

	}

	@Controller
	@Idempotent
	static class Handlers {

		@PostMapping("/pay")
		public void pay() {
		}

		@GetMapping("/")
		@Idempotent(enabled = false)
		public String home() {
			return helper();
		}

		public String helper() {
			return "home";
		}

	}

}
