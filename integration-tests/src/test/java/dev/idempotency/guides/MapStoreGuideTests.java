package dev.idempotency.guides;

import dev.idempotency.fixtures.MapStore;
import dev.idempotency.store.IdempotencyStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application on the store of {@code docs/writing-a-store.md}.
 */
@Tag("once")
class MapStoreGuideTests {

	@Test
	void remembersForAnApplication() {
		Bank bank = new Bank();
		Shop.withoutStore()
			.withUserConfiguration(MapStoreConfiguration.class)
			.withBean(Bank.class, () -> bank)
			.withBean(Refunds.class)
			.run((context) -> {
				assertThat(context).getBean(IdempotencyStore.class).isInstanceOf(MapStore.class);
				Refunds refunds = context.getBean(Refunds.class);
				Refund first = refunds.refund(new Order("1", 5));
				assertThat(refunds.refund(new Order("1", 5))).isEqualTo(first);
				assertThat(bank.refunds()).hasSize(1);
			});
	}

}
