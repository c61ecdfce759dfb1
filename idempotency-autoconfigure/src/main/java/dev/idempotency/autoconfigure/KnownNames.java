package dev.idempotency.autoconfigure;

import java.util.Set;

/**
 * Provides names of operations whose protection is not known at startup, such as
 * functional routes.
 */
@FunctionalInterface
interface KnownNames {

	Set<String> names();

}
