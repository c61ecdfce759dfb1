package dev.idempotency.sample;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.stereotype.Component;

/**
 * Every charge that was really made.
 */
@Component
class Ledger {

	private final List<String> charges = new CopyOnWriteArrayList<>();

	synchronized String charge(String order) {
		this.charges.add(order);
		return "charge no. %d: %s".formatted(this.charges.size(), order);
	}

	List<String> charges() {
		return this.charges;
	}

}
