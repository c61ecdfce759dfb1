package dev.idempotency.guides;

import java.util.Objects;
import java.util.UUID;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.Idempotent;

import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

/**
 * The code of {@code docs/outgoing-calls.md}.
 */
@Service
class PaymentClient {

	private static final UUID CHARGES = UUID.fromString("6c0d7ed1-5a4f-4a2b-9b52-3f6d0a4a8c11");

	private final RestClient client;

	PaymentClient(RestClient client) {
		this.client = client;
	}

	@Idempotent(key = "#order.id")
	public Charge pay(Order order) {
		IdempotencyContext context = IdempotencyContext.current();
		String key = IdempotencyKeys.scoped("charge", context.key().digest());
		return context.steps().run("charge", Charge.class, () -> charge(order, key));
	}

	private Charge charge(Order order, String key) {
		return Objects.requireNonNull(this.client.post()
			.uri("/charges")
			.header("Idempotency-Key", key)
			.body(order)
			.retrieve()
			.body(Charge.class));
	}

	static String asUuid(IdempotencyContext context) {
		return IdempotencyKeys.uuid5(CHARGES, context.key().digest());
	}

}
