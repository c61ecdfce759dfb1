package dev.idempotency.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import dev.idempotency.web.Bystanders;
import dev.idempotency.web.Reactive;
import dev.idempotency.web.TestServer;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application for operators to look at.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(PaymentsApplication.Payments.class)
class PaymentsApplication {

	/**
	 * Starts it with all that operators can look at, and with what a test adds to it.
	 */
	static TestServer start(List<Class<?>> added, String... properties) {
		return TestServer.start(sources(added), settings(properties));
	}

	/**
	 * Starts it on WebFlux.
	 */
	static TestServer startReactive(List<Class<?>> added, String... properties) {
		return Reactive.startBlocking(sources(added), settings(properties));
	}

	private static List<Class<?>> sources(List<Class<?>> added) {
		List<Class<?>> sources = new ArrayList<>(added);
		sources.add(PaymentsApplication.class);
		return sources;
	}

	private static String[] settings(String... properties) {
		return TestServer.with(properties, Bystanders.ALL, "management.endpoints.web.exposure.include=*",
				"management.endpoint.idempotency.access=unrestricted", "management.endpoint.health.show-details=always",
				"management.health.rabbit.enabled=false");
	}

	@RestController
	static class Payments {

		private final AtomicInteger runs = new AtomicInteger();

		private volatile CountDownLatch bank = new CountDownLatch(0);

		@PostMapping("/payments")
		@Idempotent(ttl = "7d", onCrash = OnCrash.REFUSE)
		ResponseEntity<String> pay(@RequestBody(required = false) String order) {
			return ResponseEntity.status(HttpStatus.CREATED)
				.header("X-Secret-Header", "secret-header-value")
				.body("secret body no. %d".formatted(this.runs.incrementAndGet()));
		}

		@PostMapping("/transfers")
		@Idempotent(required = false)
		String transfer() throws InterruptedException {
			if (!this.bank.await(1, TimeUnit.MINUTES)) {
				throw new IllegalStateException("The bank is closed");
			}
			return "transferred";
		}

		@PostMapping("/searches")
		@Idempotent(enabled = false)
		String search() {
			return "found";
		}

		@PostMapping("/mails")
		String send() {
			return "sent";
		}

		int runs() {
			return this.runs.get();
		}

		void closeBank() {
			this.bank = new CountDownLatch(1);
		}

		void openBank() {
			this.bank.countDown();
		}

	}

}
