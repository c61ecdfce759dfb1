package dev.idempotency.guides;

import java.util.ArrayList;
import java.util.List;

/**
 * Sends parcels, unless it is closed.
 */
class Warehouse {

	private final List<Parcel> parcels = new ArrayList<>();

	private boolean closed;

	Parcel ship(Order order, Charge charge) {
		if (this.closed) {
			throw new IllegalStateException("The warehouse is closed");
		}
		Parcel parcel = new Parcel(order.id(), charge.id());
		this.parcels.add(parcel);
		return parcel;
	}

	void close() {
		this.closed = true;
	}

	void open() {
		this.closed = false;
	}

	List<Parcel> parcels() {
		return this.parcels;
	}

}
