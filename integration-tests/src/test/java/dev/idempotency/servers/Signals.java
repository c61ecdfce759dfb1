package dev.idempotency.servers;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Signals that Java has no words for.
 */
final class Signals {

	private Signals() {
	}

	static void send(String signal, long pid) {
		try {
			new ProcessBuilder("kill", "-" + signal, String.valueOf(pid)).inheritIO().start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
