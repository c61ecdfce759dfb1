package dev.idempotency.webflux;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.awaitility.Awaitility;

/**
 * Remembers the buffers that were lost. Netty has one of these for each type of resource,
 * if it was told so before the first of them was made.
 *
 * @param <T> what may get lost
 * @see LeakDetectorListener
 */
public final class LeakDetector<T> extends ResourceLeakDetector<T> {

	private static final List<String> leaks = new CopyOnWriteArrayList<>();

	public LeakDetector(Class<?> resourceType, int samplingInterval) {
		super(resourceType, samplingInterval);
	}

	@SuppressWarnings("unused")
	public LeakDetector(Class<?> resourceType, int samplingInterval, long maxActive) {
		super(resourceType, samplingInterval);
	}

	@Override
	protected boolean needReport() {
		return true;
	}

	@Override
	protected void reportTracedLeak(String resourceType, String records) {
		leaks.add(resourceType + records);
	}

	@Override
	protected void reportUntracedLeak(String resourceType) {
		leaks.add(resourceType);
	}

	/**
	 * Returns what was lost since this was last asked for. Loses a buffer itself, and
	 * looks until it has found that.
	 */
	static List<String> takeLeaks() {
		String planted = "planted " + UUID.randomUUID();
		lose(planted);
		Awaitility.await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).until(() -> {
			System.gc();
			// Netty looks whenever it makes a buffer
			UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
			return leaks.stream().anyMatch((leak) -> leak.contains(planted));
		});
		List<String> taken = List.copyOf(leaks);
		leaks.removeAll(taken);
		return taken.stream().filter((leak) -> !leak.contains("planted ")).toList();
	}

	/**
	 * Makes a buffer that nobody releases.
	 */
	private static void lose(String hint) {
		ByteBufAllocator.DEFAULT.directBuffer(1).touch(hint);
	}

}
