package dev.idempotency.core;

import java.util.List;

/**
 * Knows operations of the application, protected or not: as many as there were when it
 * was looked at, at the end of its start-up.
 */
@FunctionalInterface
public interface OperationCatalog {

	/**
	 * The operations that a retry would repeat, in a stable order.
	 * @return the operations
	 */
	List<KnownOperation> operations();

}
