/**
 * Real servers for tests, each in a process of its own, and what stands between them and
 * an application. Not published, and without Spring.
 */
@NullMarked
package dev.idempotency.servers;

import org.jspecify.annotations.NullMarked;
