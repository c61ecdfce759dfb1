package com.example.demo;

import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PaymentController {

	private final AtomicInteger charges = new AtomicInteger();

	@Idempotent
	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.CREATED)
	Receipt pay(@RequestBody Order order) {
		return new Receipt(this.charges.incrementAndGet(), order.euros());
	}

	record Order(String item, int euros) {
	}

	record Receipt(int charge, int euros) {
	}

}
