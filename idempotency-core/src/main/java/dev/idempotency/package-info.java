/**
 * The public API: keys, scopes, fingerprints, annotations, outcomes and exceptions.
 */
@NullMarked
package dev.idempotency;

import org.jspecify.annotations.NullMarked;
