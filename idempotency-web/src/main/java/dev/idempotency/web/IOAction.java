package dev.idempotency.web;

import java.io.IOException;

/**
 * An action that uses a connection.
 */
@FunctionalInterface
interface IOAction {

	void run() throws IOException;

}
