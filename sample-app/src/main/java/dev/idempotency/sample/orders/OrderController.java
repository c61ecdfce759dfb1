package dev.idempotency.sample.orders;

import dev.idempotency.Idempotent;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Takes orders. The customer pays once, even if an order is sent several times or an
 * attempt crashes: each attempt calls the provider with the same key.
 */
@RestController
@ConditionalOnProperty("sample.provider-url")
class OrderController {

	private final PaymentProvider provider;

	OrderController(PaymentProvider provider) {
		this.provider = provider;
	}

	@Idempotent
	@PostMapping("/orders")
	@ResponseStatus(HttpStatus.CREATED)
	Confirmation order(@RequestBody Order order) {
		return new Confirmation(order.item(), this.provider.charge(order));
	}

}
