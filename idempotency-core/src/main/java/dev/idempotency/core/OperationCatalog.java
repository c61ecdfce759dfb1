package dev.idempotency.core;

import java.util.List;

/**
 * Lists operations of the application, protected or not, as they were at the end of its
 * startup.
 */
@FunctionalInterface
public interface OperationCatalog {

	/**
	 * The operations that a retry would run again, in a stable order.
	 */
	List<KnownOperation> operations();

}
