package dev.idempotency.guides;

import dev.idempotency.ReplayedFailureException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The code of {@code docs/methods.md} at work.
 */
@Tag("once")
class MethodsGuideTests {

	private static final String REFUND = "%s.refund(%s)".formatted(Refunds.class.getName(), Order.class.getName());

	private final Shop shop = new Shop();

	private final Bank bank = new Bank();

	private final ApplicationContextRunner runner = this.shop.runner()
		.withBean(Bank.class, () -> this.bank)
		.withBean(Refunds.class);

	@Test
	void refundsOnce() {
		this.runner.run((context) -> {
			Refunds refunds = context.getBean(Refunds.class);
			Refund first = refunds.refund(new Order("1", 5));
			assertThat(refunds.refund(new Order("1", 5))).isEqualTo(first);
			assertThat(this.bank.refunds()).hasSize(1);
		});
	}

	@Test
	void refundsEachUserWhateverTheirKeys() {
		this.runner.run((context) -> {
			Refunds refunds = context.getBean(Refunds.class);
			refunds.refundFor("a:b", "c", new Order("1", 5));
			refunds.refundFor("a", "b:c", new Order("2", 5));
			refunds.refundFor("a", "b:c", new Order("2", 5));
			assertThat(this.bank.refunds()).extracting(Refund::orderId).containsExactly("1", "2");
		});
	}

	@Test
	void refusesOnce() {
		this.runner.run((context) -> {
			Refunds refunds = context.getBean(Refunds.class);
			Throwable first = catchThrowable(() -> refunds.refund(new Order("1", 0)));
			Throwable again = catchThrowable(() -> refunds.refund(new Order("1", 0)));
			assertThat(again).isInstanceOf(NotRefundableException.class).hasMessage(first.getMessage());
			assertThat(ReplayedFailureException.in(first)).isEmpty();
			assertThat(ReplayedFailureException.in(again)).isPresent();
		});
	}

	@Test
	void asksAfterACrashWhetherItHasHappened() {
		this.runner.run((context) -> {
			this.bank.refund(new Order("1", 5));
			this.shop.crash(REFUND, "1");
			this.shop.crash(REFUND, "2");
			Refunds refunds = context.getBean(Refunds.class);
			assertThat(refunds.refund(new Order("1", 5))).isEqualTo(new Refund("1", 5));
			assertThat(this.bank.refunds()).hasSize(1);
			refunds.refund(new Order("2", 7));
			assertThat(this.bank.refunds()).hasSize(2);
		});
	}

}
