/**
 * The edge for tools of agents: a tool that writes runs once for the same arguments in
 * the same session, results of a tool that reads can be cached, and a model that repeats
 * the same call is told to stop.
 */
@NullMarked
package dev.idempotency.ai;

import org.jspecify.annotations.NullMarked;
