package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;

/**
 * Remembers everything that the engine has told.
 */
final class Events implements IdempotencyListener {

	private final List<IdempotencyEvent> all = new CopyOnWriteArrayList<>();

	@Override
	public void onEvent(IdempotencyEvent event) {
		this.all.add(event);
	}

	<T extends IdempotencyEvent> List<T> of(Class<T> type) {
		return this.all.stream().filter(type::isInstance).map(type::cast).toList();
	}

	void clear() {
		this.all.clear();
	}

}
