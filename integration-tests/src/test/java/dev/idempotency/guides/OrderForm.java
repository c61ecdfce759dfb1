package dev.idempotency.guides;

import java.net.URI;
import java.util.UUID;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The form of {@code docs/recipes.md}.
 */
@RestController
class OrderForm {

	private final Payments payments;

	OrderForm(Payments payments) {
		this.payments = payments;
	}

	@GetMapping(path = "/order-form", produces = MediaType.TEXT_HTML_VALUE)
	String form() {
		return """
				<form method="post">
					<input type="hidden" name="key" value="%s">
					<input name="id"> <input name="amount"> <button>Order</button>
				</form>
				""".formatted(UUID.randomUUID());
	}

	@PostMapping("/order-form")
	@Idempotent(key = "query('key')", onConflict = OnConflict.WAIT)
	ResponseEntity<Void> order(Order order) {
		Charge charge = this.payments.charge(order);
		return ResponseEntity.status(HttpStatus.SEE_OTHER).location(URI.create("/receipts/" + charge.id())).build();
	}

}
