package dev.idempotency.core;

import java.util.List;

/**
 * Knows operations of the application, protected or not.
 */
@FunctionalInterface
public interface OperationCatalog {

	/**
	 * The operations that a retry would repeat, in a stable order.
	 * @return the operations
	 */
	List<KnownOperation> operations();

}
