package dev.idempotency.servers;

import dev.idempotency.fixtures.Unchecked;

/**
 * Signals that Java has no words for.
 */
final class Signals {

	private Signals() {
	}

	static void send(String signal, long pid) {
		Unchecked.run(() -> new ProcessBuilder("kill", "-" + signal, String.valueOf(pid)).inheritIO()
			.start()
			.onExit()
			.join());
	}

}
