/**
 * The edge for tools of agents: a tool that writes runs once for the same arguments in
 * the same session, one that reads can be answered from memory, and a model that goes
 * round in circles is told to stop.
 */
@NullMarked
package dev.idempotency.ai;

import org.jspecify.annotations.NullMarked;
