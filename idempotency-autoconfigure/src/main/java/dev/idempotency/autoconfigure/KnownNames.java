package dev.idempotency.autoconfigure;

import java.util.Set;

/**
 * Knows names of operations of which nobody can say whether they are protected.
 */
@FunctionalInterface
interface KnownNames {

	Set<String> names();

}
