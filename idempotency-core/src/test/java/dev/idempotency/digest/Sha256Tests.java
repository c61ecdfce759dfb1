package dev.idempotency.digest;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class Sha256Tests {

	/**
	 * More threads than there are places for digests, so that some share one.
	 */
	@Test
	void givesNoDigestToTwoThreadsAtOnce() {
		List<CompletableFuture<Void>> running = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Void> future = new CompletableFuture<>();
			running.add(future);
			long seed = i;
			new Thread(() -> {
				try {
					digestOften(new Random(seed));
					future.complete(null);
				}
				catch (Throwable ex) {
					future.completeExceptionally(ex);
				}
			}).start();
		}
		running.forEach(CompletableFuture::join);
	}

	private static void digestOften(Random random) throws Exception {
		MessageDigest reference = MessageDigest.getInstance("SHA-256");
		for (int i = 0; i < 500; i++) {
			byte[] content = new byte[random.nextInt(300)];
			random.nextBytes(content);
			assertThat(Sha256.digest(content)).isEqualTo(reference.digest(content));
			Parts parts = new Parts(random.nextInt(64)).add(content);
			reference.update(new byte[] { 0, 0, (byte) (content.length >> 8), (byte) content.length });
			assertThat(parts.digest()).isEqualTo(reference.digest(content));
		}
	}

}
