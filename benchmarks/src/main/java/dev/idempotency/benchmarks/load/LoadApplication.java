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

	/**
	 * What it says before the number of bytes that it has allocated.
	 */
	static final String ALLOCATED = "Allocated ";

	public static void main(String[] args) {
		SpringApplication.run(LoadApplication.class, args);
		answerQuestions();
	}

	/**
	 * Tells how many bytes its threads have allocated, whenever a line comes in. Those of
	 * virtual threads are nobody's. A handler that told it would be one more that the
	 * compilers have to reckon with.
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
