package dev.idempotency.guides;

import java.util.Objects;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.client.IdempotencyResponse;

import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

/**
 * The code of {@code docs/outgoing-calls.md}.
 */
@Service
class OrderPayments {

	private final RestClient client;

	private int replays;

	OrderPayments(RestClient client) {
		this.client = client;
	}

	@Idempotent(key = "#order.id")
	public Charge pay(Order order) {
		return IdempotencyContext.current().steps().run("charge", Charge.class, () -> charge(order));
	}

	private Charge charge(Order order) {
		ResponseEntity<Charge> answer = this.client.post()
			.uri("/charges")
			.body(order)
			.retrieve()
			.toEntity(Charge.class);
		if (IdempotencyResponse.of(answer).isReplay()) {
			this.replays++;
		}
		return Objects.requireNonNull(answer.getBody());
	}

	int replays() {
		return this.replays;
	}

}
