package dev.idempotency.guides;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;

import org.springframework.stereotype.Service;

/**
 * Does with an order what is to be done once.
 */
@Service
class Orders {

	private final List<Order> handled = new ArrayList<>();

	@Idempotent(key = "#order.id", onConflict = OnConflict.WAIT)
	public void handle(Order order) {
		this.handled.add(order);
	}

	void accept(Order order) {
		this.handled.add(order);
	}

	List<Order> handled() {
		return this.handled;
	}

}
