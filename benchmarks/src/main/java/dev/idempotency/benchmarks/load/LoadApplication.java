package dev.idempotency.benchmarks.load;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

import com.sun.management.ThreadMXBean;
import dev.idempotency.Idempotent;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The application under load, whose handlers do nothing. It runs without the library on
 * its class path too: an annotation whose class is missing is not there.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ LoadApplication.Handlers.class, FloorInMemory.class, FloorOnRedis.class, FloorOnPostgres.class })
class LoadApplication {

	/**
	 * What the application says when it can be reached.
	 */
	static final String READY = "Ready on port ";

	public static void main(String[] args) {
		SpringApplication.run(LoadApplication.class, args);
	}

	@Bean
	ApplicationListener<WebServerInitializedEvent> ready() {
		return (event) -> System.out.println(READY + event.getWebServer().getPort());
	}

	@RestController
	static class Handlers {

		private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

		@PostMapping("/plain")
		Payment plain(@RequestBody Order order) {
			return Payment.of(order);
		}

		@Idempotent
		@PostMapping("/protected")
		Payment safe(@RequestBody Order order) {
			return Payment.of(order);
		}

		/**
		 * How many bytes the threads of the application have allocated. Those of virtual
		 * threads are nobody's.
		 */
		@GetMapping("/allocated")
		long allocated() {
			return Arrays.stream(this.threads.getThreadAllocatedBytes(this.threads.getAllThreadIds()))
				.filter((bytes) -> bytes > 0)
				.sum();
		}

	}

	/**
	 * What is ordered.
	 *
	 * @param customer by whom
	 * @param amount for how much
	 * @param note as long as the request is to be
	 */
	record Order(String customer, long amount, String note) {
	}

	/**
	 * What is answered: 184 bytes of JSON if the note is empty.
	 *
	 * @param id of the payment
	 * @param customer who pays
	 * @param amount how much
	 * @param currency of what
	 * @param status what became of it
	 * @param createdAt when
	 * @param note as long as the answer is to be
	 */
	record Payment(String id, String customer, long amount, String currency, String status, String createdAt,
			String note) {

		private static Payment of(Order order) {
			return new Payment("pay_3f1c9a7e52b84d06", order.customer(), order.amount(), "EUR", "succeeded",
					"2026-01-31T12:00:00.123Z", order.note());
		}

	}

}
