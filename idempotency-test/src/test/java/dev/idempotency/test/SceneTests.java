package dev.idempotency.test;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.NotifyingStore.Subscription;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class SceneTests {

	private final AtomicInteger calls = new AtomicInteger();

	@Test
	void subscribesAgainWhenNobodyCanBeHeardFromAtTheMoment() {
		assertThat(subscribe(failing(2), Duration.ofMinutes(1))).isNotNull();
		assertThat(this.calls).hasValue(3);
	}

	@Test
	void doesNotDoSoForEver() {
		assertThatIllegalStateException().isThrownBy(() -> subscribe(failing(Integer.MAX_VALUE), Duration.ZERO));
	}

	private NotifyingStore failing(int times) {
		Subscription subscription = () -> {
		};
		return (NotifyingStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { NotifyingStore.class }, (proxy, method, arguments) -> {
					if (this.calls.incrementAndGet() <= times) {
						throw new IllegalStateException("not at the moment");
					}
					return subscription;
				});
	}

	private static Subscription subscribe(NotifyingStore store, Duration patience) {
		return Scene.subscribe(new StoreUnderTest() {

			@Override
			public NotifyingStore store() {
				return store;
			}

			@Override
			public NotifyingStore otherInstance() {
				return store;
			}

			@Override
			public StoreTime time() {
				return StoreTime.of(new MovableClock(Clock.systemUTC().instant()));
			}

			@Override
			public Duration patience() {
				return patience;
			}

		}, Scene.newKey(), () -> {
		});
	}

}
