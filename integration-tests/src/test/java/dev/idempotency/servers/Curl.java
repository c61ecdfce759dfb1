package dev.idempotency.servers;

import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.idempotency.fixtures.Unchecked;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The machine's curl. Where it is not installed, tests are skipped; but not on CI.
 */
public final class Curl {

	private Curl() {
	}

	/**
	 * The curl of this machine.
	 */
	public static Curl installed() {
		boolean installed = !shell("command -v curl").isEmpty();
		assumeTrue(installed || "true".equals(System.getenv("CI")), "curl is not installed");
		return new Curl();
	}

	/**
	 * Types in a command, as people do.
	 * @return the lines that it answers
	 */
	public List<String> run(String command) {
		return shell(command);
	}

	private static List<String> shell(String command) {
		ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectError(Redirect.DISCARD);
		builder.environment().put("no_proxy", "localhost");
		return Unchecked.get(() -> {
			Process process = builder.start();
			String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			process.onExit().join();
			return answer.lines().toList();
		});
	}

}
