package dev.idempotency.servers;

import java.util.ArrayList;
import java.util.List;

import dev.idempotency.fixtures.Unchecked;

/**
 * Signals that Java has no words for.
 */
final class Signals {

	private Signals() {
	}

	static void send(String signal, long pid) {
		send(signal, List.of(pid));
	}

	/**
	 * Sends a signal to several processes. One that has ended already needs none.
	 */
	static void send(String signal, List<Long> pids) {
		List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
		pids.forEach((pid) -> command.add(String.valueOf(pid)));
		Unchecked.run(() -> new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD)
			.start()
			.onExit()
			.join());
	}

}
