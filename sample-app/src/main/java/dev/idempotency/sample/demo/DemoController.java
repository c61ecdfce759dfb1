package dev.idempotency.sample.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.idempotency.Idempotent;
import dev.idempotency.sample.webhooks.WebhookSignatures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Simulates what a browser cannot do. Running these handlers twice is harmless, so they
 * are excluded from protection.
 */
@RestController
@RequestMapping("/demo")
@Idempotent(enabled = false)
class DemoController {

	private static final Logger logger = LoggerFactory.getLogger(DemoController.class);

	private static final int SECONDS_TO_START = 90;

	private static final int SECONDS_TO_CHARGE = 30;

	private final HttpClient client = HttpClient.newHttpClient();

	private final Semaphore oneAtATime = new Semaphore(1);

	private final ApplicationArguments arguments;

	private final Environment environment;

	private final Clock clock;

	private final String secret;

	DemoController(ApplicationArguments arguments, Environment environment, Clock clock,
			@Value("${sample.webhook-secret}") String secret) {
		this.arguments = arguments;
		this.environment = environment;
		this.clock = clock;
		this.secret = secret;
	}

	/**
	 * Sends the payment to a second server, and kills that server after it has charged
	 * and before it responds.
	 */
	@PostMapping("/crash")
	Death crash(@RequestBody byte[] order, @RequestHeader("Idempotency-Key") String key,
			@RequestHeader(HttpHeaders.AUTHORIZATION) String credentials) throws IOException {
		if (!this.oneAtATime.tryAcquire()) {
			throw new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, "Another server is being killed already");
		}
		try (DoomedInstance instance = DoomedInstance.start(List.of(this.arguments.getSourceArgs()))) {
			int port = instance.port().orTimeout(SECONDS_TO_START, TimeUnit.SECONDS).join();
			HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/payments"))
				.header("Idempotency-Key", key)
				.header("Authorization", credentials)
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofByteArray(order))
				.build();
			CompletableFuture<Integer> answer = this.client.sendAsync(request, BodyHandlers.discarding())
				.thenApply(HttpResponse::statusCode);
			CompletableFuture<Integer> charged = instance.charged().thenApply((none) -> 0);
			int status = charged.applyToEither(answer, (first) -> first)
				.orTimeout(SECONDS_TO_CHARGE, TimeUnit.SECONDS)
				.join();
			return new Death(instance.pid(), status);
		}
		catch (CompletionException ex) {
			logger.warn("A second server could not be started, or did not take the payment", ex);
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "There is no second server to be killed");
		}
		finally {
			this.oneAtATime.release();
		}
	}

	/**
	 * Delivers one event twice, as the senders of webhooks do now and then.
	 */
	@PostMapping("/deliveries/{sender}")
	List<Delivery> deliver(@PathVariable Sender sender) throws IOException, InterruptedException {
		String id = UUID.randomUUID().toString();
		return List.of(deliver(sender, id, 2), deliver(sender, id, 1));
	}

	private Delivery deliver(Sender sender, String id, int pending) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://localhost:%s/webhooks/%s"
				.formatted(this.environment.getRequiredProperty("local.server.port"), sender)))
			.header("Content-Type", "application/json");
		byte[] body;
		if (sender == Sender.stripe) {
			body = "{\"id\":\"evt_%s\",\"type\":\"invoice.paid\",\"pending_webhooks\":%d}".formatted(id, pending)
				.getBytes(StandardCharsets.UTF_8);
			request.header("Stripe-Signature",
					WebhookSignatures.stripe(this.secret, this.clock.instant().getEpochSecond(), body));
		}
		else {
			body = "{\"action\":\"released\"}".getBytes(StandardCharsets.UTF_8);
			request.header("X-GitHub-Delivery", id)
				.header("X-GitHub-Event", "release")
				.header("X-Hub-Signature-256", WebhookSignatures.github(this.secret, body));
		}
		HttpResponse<Void> answer = this.client.send(request.POST(BodyPublishers.ofByteArray(body)).build(),
				BodyHandlers.discarding());
		return new Delivery(answer.statusCode(), answer.headers().firstValue("Idempotency-Effect").orElse(""),
				answer.headers().firstValue("Idempotent-Replayed").isPresent());
	}

	/**
	 * The senders of webhooks, as in paths.
	 */
	enum Sender {

		stripe, github

	}

	/**
	 * How a server ended.
	 *
	 * @param pid the process that was killed
	 * @param status 0 if it was killed before it responded, else the status of its
	 * response when there was nothing to charge
	 */
	record Death(long pid, int status) {
	}

	/**
	 * The response to a delivery.
	 *
	 * @param status the HTTP status
	 * @param effect what happened
	 * @param replayed whether it was the stored response
	 */
	record Delivery(int status, String effect, boolean replayed) {
	}

}
