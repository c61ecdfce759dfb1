package dev.idempotency.web;

import java.util.List;

/**
 * Behind a filter that holds answers itself.
 */
class H2TransactionalHttpTests extends TransactionalHttpContract {

	@Override
	String url() {
		return "jdbc:h2:mem:transactional";
	}

	@Override
	List<Class<?>> surroundings() {
		return List.of(EtagFilter.class);
	}

}
