/**
 * The store in a relational database.
 */
@NullMarked
package dev.idempotency.store.jdbc;

import org.jspecify.annotations.NullMarked;
