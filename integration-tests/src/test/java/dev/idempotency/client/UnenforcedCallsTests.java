package dev.idempotency.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The keys of calls in operations that run each time, because nothing is enforced or
 * protection is switched off. The provider may still tell a retry by its key.
 */
class UnenforcedCallsTests {

	@AutoClose
	private final Provider provider = new Provider();

	private final Instance observing = new Instance("idempotency.mode=observe");

	private final Instance off = new Instance("idempotency.enabled=false");

	private final RestClient client = RestClient.builder()
		.baseUrl(this.provider.url())
		.requestInterceptor(new IdempotencyKeyClientInterceptor())
		.build();

	private String charge() {
		this.client.post()
			.uri("/charges")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"amount\":5}")
			.retrieve()
			.toBodilessEntity();
		return "charged";
	}

	/**
	 * Makes equal calls outside of steps and in two of them.
	 */
	private void chargeInSteps() {
		charge();
		IdempotencyContext.current().steps().run("one", String.class, this::charge);
		IdempotencyContext.current().steps().run("two", 2, String.class, this::charge);
		charge();
	}

	private void assertSameInEach(int attempts) {
		List<String> keys = this.provider.keys();
		assertThat(keys).hasSize(attempts * 4);
		assertThat(keys.subList(0, 4)).doesNotHaveDuplicates();
		for (int i = 1; i < attempts; i++) {
			assertThat(keys.subList(i * 4, i * 4 + 4)).isEqualTo(keys.subList(0, 4));
		}
	}

	@Test
	void areTheSameInEachAttemptThatIsOnlyObserved() {
		this.observing.fail("1", this::chargeInSteps);
		this.observing.run("1", this::chargeInSteps);
		this.observing.run("1", this::chargeInSteps);
		assertSameInEach(3);
	}

	@Test
	void areTheSameInTwinsThatAreOnlyObserved() {
		CountDownLatch bothRun = new CountDownLatch(2);
		List<CompletableFuture<Void>> twins = Stream.generate(() -> CompletableFuture.runAsync(() -> {
			this.observing.withContext("1", (context) -> {
				bothRun.countDown();
				awaitQuietly(bothRun);
				context.steps().run("one", String.class, this::charge);
			});
		})).limit(2).toList();
		twins.forEach(CompletableFuture::join);
		assertThat(this.provider.keys()).hasSize(2).containsOnly(this.provider.keys().get(0));
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void areOthersInStepsOfWhatWasForgotten() {
		IdempotencyKey key = IdempotencyKey.of("order", "1");
		Runnable work = () -> IdempotencyContext.current().steps().run("one", String.class, this::charge);
		this.observing.run("1", work);
		this.observing.inNewProcess((idempotency) -> assertThat(idempotency.forget(key)).isTrue());
		this.observing.run("1", work);
		assertThat(this.provider.keys()).hasSize(2).doesNotHaveDuplicates();
	}

	@Test
	void areTheSameInASessionThatIsOnlyObserved() {
		for (int i = 0; i < 2; i++) {
			this.observing
				.inNewProcess((idempotency) -> idempotency.session("s").run("tool", 1, String.class, this::charge));
		}
		this.observing.inNewProcess((idempotency) -> assertThat(idempotency.session("s").forget()).isTrue());
		this.observing
			.inNewProcess((idempotency) -> idempotency.session("s").run("tool", 1, String.class, this::charge));
		List<String> keys = this.provider.keys();
		assertThat(keys.get(1)).isEqualTo(keys.get(0));
		assertThat(keys.get(2)).isNotEqualTo(keys.get(0));
	}

	@Test
	void areTheSameInEachAttemptWhereProtectionIsSwitchedOff() {
		this.off.fail("1", this::chargeInSteps);
		this.off.run("1", this::chargeInSteps);
		assertSameInEach(2);
	}

	@Test
	void areOthersInEachCallOfASessionWhereProtectionIsSwitchedOff() {
		for (int i = 0; i < 2; i++) {
			this.off.inNewProcess((idempotency) -> idempotency.session("s").run("tool", 1, String.class, this::charge));
		}
		assertThat(this.provider.keys()).hasSize(2).doesNotHaveDuplicates();
	}

}
