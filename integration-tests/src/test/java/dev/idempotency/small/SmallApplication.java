package dev.idempotency.small;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that needs nothing but the starter. It has controllers where there is
 * something for the web, whichever it is.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ SmallApplication.Payments.class, SmallApplication.Orders.class })
public class SmallApplication {

	static final String METHODS = "Methods: ";

	static final String PORT = "Port: ";

	public static void main(String[] args) {
		ConfigurableApplicationContext context = SpringApplication.run(SmallApplication.class, args);
		Payments payments = context.getBean(Payments.class);
		System.out.println(METHODS + payments.pay("a") + payments.pay("a") + payments.pay("b")
				+ payments.payLater("c").join() + payments.payLater("c").join());
		System.out.println(PORT + context.getEnvironment().getProperty("local.server.port"));
	}

	/**
	 * A bean with protected methods.
	 */
	static class Payments {

		private final AtomicInteger count = new AtomicInteger();

		@Idempotent(key = "#id")
		int pay(String id) {
			return this.count.incrementAndGet();
		}

		@Idempotent(key = "#id")
		CompletableFuture<Integer> payLater(String id) {
			return CompletableFuture.supplyAsync(this.count::incrementAndGet);
		}

	}

	/**
	 * A controller for either stack.
	 */
	@RestController
	@ConditionalOnClass(name = "org.springframework.web.bind.annotation.RestController")
	static class Orders {

		private final AtomicInteger count = new AtomicInteger();

		@Idempotent
		@PostMapping("/orders")
		String order(@RequestBody String order) {
			return order + " no. " + this.count.incrementAndGet();
		}

		@Idempotent
		@PostMapping("/orders/later")
		CompletableFuture<String> orderLater(@RequestBody String order) {
			return CompletableFuture.supplyAsync(() -> order(order));
		}

	}

}
