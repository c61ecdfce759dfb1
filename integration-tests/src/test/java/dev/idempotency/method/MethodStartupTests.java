package dev.idempotency.method;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which methods are protected, and what start-up says about the others.
 */
@ExtendWith(OutputCaptureExtension.class)
class MethodStartupTests {

	private final ApplicationContextRunner runner = MethodRunner.plain();

	@Test
	void stopsForAMethodThatAnInterfaceProxyDoesNotHave() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(BehindInterface.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("the proxy of its bean"));
	}

	@Test
	void protectsBehindAnInterfaceProxy() {
		this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withBean(Payments.class, CardPayments::new)
			.run((context) -> {
				Payments payments = context.getBean(Payments.class);
				assertThat(payments.pay("1")).isEqualTo(1);
				assertThat(payments.pay("1")).isEqualTo(1);
				assertThat(payments.pay("2")).isEqualTo(2);
			});
	}

	@Test
	void protectsWhatIsGeneratedForAnInterface() {
		AtomicInteger calls = new AtomicInteger();
		this.runner.withBean(Client.class,
				() -> (Client) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Client.class },
						(proxy, method, arguments) -> method.getName().equals("send")
								? IdempotencyContext.current().key().scope().operation() + calls.incrementAndGet()
								: method.invoke(calls, arguments)))
			.run((context) -> {
				Client client = context.getBean(Client.class);
				assertThat(client.send("1")).isEqualTo(client.send("1"))
					.isEqualTo(Client.class.getName() + ".send(java.lang.String)1");
			});
	}

	@Test
	void protectsWithoutSpringBootsProxies() {
		this.runner.withPropertyValues("spring.aop.auto=false")
			.withBean(Payments.class, CardPayments::new)
			.run((context) -> {
				assertThat(context.getBean(Payments.class).pay("1")).isEqualTo(1);
				assertThat(context.getBean(Payments.class).pay("1")).isEqualTo(1);
			});
	}

	@Test
	void stopsForABeanThatWasCreatedTooEarly() {
		this.runner.withUserConfiguration(EarlyConfiguration.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("created before it could get a proxy"));
	}

	@Test
	void namesCallsOfABeansOwnMethods(CapturedOutput output) {
		this.runner.withBean(SelfCalling.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains(SelfCalling.class.getName() + ".directly calls pay: a call of a bean's own method")
			.contains(SelfCalling.class.getName() + ".inLambda calls pay")
			.contains(SelfCalling.class.getName() + ".byReference calls pay")
			.contains("Base.inherited calls pay")
			.doesNotContain("throughItself calls pay")
			.doesNotContain("throughProvider calls pay")
			.doesNotContain("throughAnother calls pay")
			.doesNotContain("harmless calls");
	}

	@Test
	void saysNothingAboutAnOrdinaryBean(CapturedOutput output) {
		this.runner.withBean(CardPayments.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("own method");
	}

	@Test
	void appliesAnAnnotationOnATypeToWhatItsAuthorOffers() {
		this.runner.withBean(TypeLevel.class).run((context) -> {
			TypeLevel bean = context.getBean(TypeLevel.class);
			assertThat(bean.first("1")).isEqualTo("first 1");
			assertThat(bean.first("1")).isEqualTo("first 1");
			assertThat(bean.second("1")).isEqualTo("second 2");
			assertThat(bean.open("1")).isEqualTo("open 3");
			assertThat(bean.open("1")).isEqualTo("open 4");
			assertThat(bean).hasToString("TypeLevel");
		});
	}

	@Test
	void worksThroughAMetaAnnotation() {
		this.runner.withBean(Composed.class).run((context) -> {
			Composed bean = context.getBean(Composed.class);
			assertThat(bean.pay("1")).isEqualTo(1);
			assertThat(bean.pay("1")).isEqualTo(1);
		});
	}

	@Test
	void runsUnprotectedWhenSwitchedOff() {
		this.runner.withPropertyValues("idempotency.enabled=false").withBean(CardPayments.class).run((context) -> {
			CardPayments bean = context.getBean(CardPayments.class);
			assertThat(bean.pay("1")).isEqualTo(1);
			assertThat(bean.pay("1")).isEqualTo(2);
		});
	}

	interface Client {

		@Idempotent(key = "#id")
		String send(String id);

	}

	interface Payments {

		int pay(String id);

	}

	static class CardPayments implements Payments {

		private int count;

		@Override
		@Idempotent(key = "#id")
		public int pay(String id) {
			return ++this.count;
		}

	}

	static class BehindInterface implements Runnable {

		@Override
		public void run() {
		}

		@Idempotent(key = "#id")
		public void pay(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		CardPayments payments() {
			return new CardPayments();
		}

		@Bean
		static GreedyPostProcessor greedy(CardPayments payments) {
			return new GreedyPostProcessor();
		}

	}

	static class GreedyPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE;
		}

	}

	abstract static class Base {

		abstract int pay(String id);

		int inherited(String id) {
			return pay(id);
		}

	}

	static class SelfCalling extends Base {

		private final ObjectProvider<SelfCalling> provider;

		private final CardPayments another = new CardPayments();

		private @Nullable SelfCalling self;

		SelfCalling(ObjectProvider<SelfCalling> provider) {
			this.provider = provider;
		}

		@Override
		@Idempotent(key = "#id")
		public int pay(String id) {
			return 1;
		}

		int directly(String id) {
			return pay(id.isEmpty() ? "none" : id);
		}

		CompletableFuture<Integer> inLambda(String id) {
			return CompletableFuture.supplyAsync(() -> pay(id));
		}

		List<Integer> byReference(List<String> ids) {
			return ids.stream().map(this::pay).toList();
		}

		int throughItself(String id) {
			this.self = this.provider.getObject();
			return this.self.pay(id);
		}

		int throughProvider(String id) {
			return this.provider.getObject().pay(id);
		}

		int throughAnother(String id) {
			return this.another.pay(id);
		}

		@Transactional
		String harmless(String id) {
			return id;
		}

	}

	@Idempotent(key = "#id")
	static class TypeLevel implements AutoCloseable {

		private int count;

		public String first(String id) {
			return "first " + ++this.count;
		}

		public String second(String id) {
			return "second " + ++this.count;
		}

		@Idempotent(enabled = false)
		public String open(String id) {
			return "open " + ++this.count;
		}

		@Override
		public void close() {
		}

		@Override
		public String toString() {
			return "TypeLevel";
		}

	}

	@Idempotent(key = "#id", ttl = "1h")
	@Retention(RetentionPolicy.RUNTIME)
	@interface Once {

	}

	static class Composed {

		private int count;

		@Once
		public int pay(String id) {
			return ++this.count;
		}

	}

}
