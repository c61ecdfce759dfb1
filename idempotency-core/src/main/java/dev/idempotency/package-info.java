/**
 * The words that everything else is said with: keys, scopes, fingerprints, and what can
 * go wrong.
 */
@NullMarked
package dev.idempotency;

import org.jspecify.annotations.NullMarked;
