package dev.idempotency.benchmarks.load;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Scanner;

import com.sun.management.ThreadMXBean;
import dev.idempotency.Idempotent;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The application under load, whose handlers do nothing. It also runs without the library
 * on its class path: Java ignores annotations whose class is missing.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ LoadApplication.Handlers.class, FloorInMemory.class, FloorOnRedis.class, FloorOnPostgres.class })
class LoadApplication {

	/**
	 * What the application prints when it is ready.
	 */
	static final String READY = "Ready on port ";

	/**
	 * What it prints before the number of bytes that it has allocated.
	 */
	static final String ALLOCATED = "Allocated ";

	public static void main(String[] args) {
		SpringApplication.run(LoadApplication.class, args);
		answerQuestions();
	}

	/**
	 * Prints how many bytes its threads have allocated, for each line of input.
	 * Allocations of virtual threads are not counted. A handler for it would be one more
	 * to compile.
	 */
	private static void answerQuestions() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		Scanner questions = new Scanner(System.in, StandardCharsets.UTF_8);
		while (questions.hasNextLine()) {
			questions.nextLine();
			System.out.println(ALLOCATED + Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
				.filter((bytes) -> bytes > 0)
				.sum());
		}
	}

	@Bean
	ApplicationListener<WebServerInitializedEvent> ready() {
		return (event) -> System.out.println(READY + event.getWebServer().getPort());
	}

	@RestController
	static class Handlers {

		@PostMapping("/plain")
		Payment plain(@RequestBody Order order) {
			return Payment.of(order);
		}

		@Idempotent
		@PostMapping("/protected")
		Payment safe(@RequestBody Order order) {
			return Payment.of(order);
		}

	}

	/**
	 * An order.
	 *
	 * @param customer the customer
	 * @param amount the amount
	 * @param note determines the size of the request
	 */
	record Order(String customer, long amount, String note) {
	}

	/**
	 * The response: 184 bytes of JSON if the note is empty.
	 *
	 * @param id the id of the payment
	 * @param customer the customer
	 * @param amount the amount
	 * @param currency the currency
	 * @param status the status of the payment
	 * @param createdAt when it was created
	 * @param note determines the size of the response
	 */
	record Payment(String id, String customer, long amount, String currency, String status, String createdAt,
			String note) {

		private static Payment of(Order order) {
			return new Payment("pay_3f1c9a7e52b84d06", order.customer(), order.amount(), "EUR", "succeeded",
					"2026-01-31T12:00:00.123Z", order.note());
		}

	}

}
