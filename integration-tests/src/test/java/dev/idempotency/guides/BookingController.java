package dev.idempotency.guides;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The handler of {@code docs/recipes.md} that had a table of its own for its keys.
 */
@RestController
class BookingController {

	private final Bookings bookings;

	private final ProcessedRequests processed;

	BookingController(Bookings bookings, ProcessedRequests processed) {
		this.bookings = bookings;
		this.processed = processed;
	}

	@PostMapping("/bookings")
	@Idempotent(transactional = true)
	String book(@RequestBody Order order, IdempotencyContext context) {
		String key = context.key().value();
		return this.processed.find(key).orElseGet(() -> {
			String response = this.bookings.book(order);
			this.processed.save(key, response);
			return response;
		});
	}

}
