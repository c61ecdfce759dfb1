package dev.idempotency.torture.ledger;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.torture.ledger.ClientLog.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Asks one thing after the other, as all clients do at about the same time, and asks
 * again when there is no answer, or one that is not the last word.
 */
final class Client {

	private static final List<String> CALLERS = List.of("ann", "bob", "cy");

	/**
	 * How many keys are asked for at a time.
	 */
	private static final int KEYS_AT_A_TIME = 8;

	private final HttpClient http = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(1))
		.build();

	private final TortureOptions options;

	private final Fleet fleet;

	private final ClientLog log;

	private final Random random;

	/**
	 * Keys whose answer is known.
	 */
	private final List<KeyOfCaller> known = new ArrayList<>();

	private int asked;

	Client(TortureOptions options, Fleet fleet, ClientLog log, Random random) {
		this.options = options;
		this.fleet = fleet;
		this.log = log;
		this.random = random;
	}

	/**
	 * Asks for the next thing that chance has in store: something new, once or thrice at
	 * the same moment; something old again; or something else under an old key.
	 */
	void askForSomething() {
		int kind = this.random.nextInt(100);
		int number = this.asked++ + this.random.nextInt(KEYS_AT_A_TIME);
		String caller = CALLERS.get(this.random.nextInt(CALLERS.size()));
		int old = this.random.nextInt(1 << 20);
		if (kind >= 80 && !this.known.isEmpty()) {
			ask(this.known.get(old % this.known.size()), kind >= 94, patience());
			return;
		}
		Slot.Route route = anyRoute();
		if (route == null) {
			pause(20);
			return;
		}
		KeyOfCaller key = new KeyOfCaller(caller, this.options.key(number, route.generation()));
		List<CompletableFuture<@Nullable Answer>> twins = new ArrayList<>();
		for (int i = 0; i < 2 && kind < 40; i++) {
			Slot.Route other = anyRoute();
			if (other != null && this.options.keyLivesIn(key.key(), other.generation())) {
				twins.add(sendAsync(key, false, other));
			}
		}
		if (ask(key, false, patience())) {
			this.known.add(key);
		}
		twins.forEach(CompletableFuture::join);
	}

	/**
	 * Asks until there is a last word, or patience is over.
	 * @return whether there is one
	 */
	boolean ask(KeyOfCaller key, boolean changed, Duration patience) {
		long deadline = System.nanoTime() + patience.toNanos();
		for (int i = 0; i == 0 || System.nanoTime() < deadline; i++) {
			Slot.Route route = anyRoute();
			if (route == null || !this.options.keyLivesIn(key.key(), route.generation())) {
				pause(20);
				continue;
			}
			if (i > 0) {
				this.log.retries.incrementAndGet();
			}
			Answer answer = sendAsync(key, changed, route).join();
			if (answer != null && answer.status() < 500 && answer.status() != 409) {
				return answer.isFinal();
			}
			pause(this.random.nextInt(10, 80));
		}
		return false;
	}

	/**
	 * Long enough to see a lease end.
	 */
	private Duration patience() {
		return this.options.lease().multipliedBy(3);
	}

	private static void pause(int millis) {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private Slot.@Nullable Route anyRoute() {
		return this.fleet.slot(this.random.nextInt(this.fleet.size())).route();
	}

	private CompletableFuture<@Nullable Answer> sendAsync(KeyOfCaller key, boolean changed, Slot.Route route) {
		this.log.asked(key);
		return this.http.sendAsync(request(key, changed, route.port()), HttpResponse.BodyHandlers.ofString())
			.handle((response, failure) -> {
				if (failure != null) {
					this.log.unanswered.incrementAndGet();
					return null;
				}
				boolean lastWord = response.statusCode() < 500 && response.statusCode() != 409;
				Answer answer = new Answer(response.statusCode(), changed, lastWord ? response.body() : "");
				this.log.answered(key, answer, response.headers().firstValue("Idempotent-Replayed").isPresent());
				return answer;
			});
	}

	private HttpRequest request(KeyOfCaller key, boolean changed, int port) {
		int amount = Math.abs(key.key().hashCode() % 1000);
		String body = "{\"amount\":%d,\"millis\":%d}".formatted(changed ? Checker.CHANGED_AMOUNT : amount,
				this.options.workMillis(key.key(), amount));
		int lease = (int) this.options.lease().toMillis();
		return HttpRequest.newBuilder(URI.create("http://localhost:%d%s".formatted(port, this.options.path())))
			.timeout(Duration.ofMillis(this.random.nextInt(lease / 8, lease * 3 / 2)))
			.header("Idempotency-Key", key.key())
			.header(LedgerApplication.CALLER_HEADER, key.caller())
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build();
	}

}
