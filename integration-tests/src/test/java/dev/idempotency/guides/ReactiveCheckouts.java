package dev.idempotency.guides;

import dev.idempotency.Idempotent;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.reactive.ReactiveSteps;
import reactor.core.publisher.Mono;

/**
 * The code of {@code docs/steps.md} for applications on Reactor.
 */
class ReactiveCheckouts {

	private final Payments payments;

	private final Warehouse warehouse;

	ReactiveCheckouts(Payments payments, Warehouse warehouse) {
		this.payments = payments;
		this.warehouse = warehouse;
	}

	@Idempotent(key = "#order.id")
	public Mono<Parcel> checkout(Order order) {
		ReactiveSteps steps = ReactiveIdempotencyContext.steps();
		return steps.run("charge", Charge.class, charge(order))
			.flatMap((charge) -> steps.run("ship", Parcel.class, ship(order, charge)));
	}

	private Mono<Charge> charge(Order order) {
		return Mono.fromSupplier(() -> this.payments.charge(order));
	}

	private Mono<Parcel> ship(Order order, Charge charge) {
		return Mono.fromSupplier(() -> this.warehouse.ship(order, charge));
	}

}
