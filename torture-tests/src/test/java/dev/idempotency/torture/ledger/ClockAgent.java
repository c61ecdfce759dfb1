package dev.idempotency.torture.ledger;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

import dev.idempotency.fixtures.Unchecked;

/**
 * Makes an agent of {@link ShiftedClock}: a jar that only names it, since it is on the
 * class path anyway.
 */
final class ClockAgent {

	private final Path jar;

	ClockAgent(Path folder) {
		this.jar = folder.resolve("clock-agent.jar");
		Manifest manifest = new Manifest();
		manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
		manifest.getMainAttributes().putValue("Premain-Class", ShiftedClock.class.getName());
		Unchecked.run(() -> new JarOutputStream(Files.newOutputStream(this.jar), manifest).close());
	}

	/**
	 * The option of a JVM whose clock is to be wrong by that much.
	 */
	String option(Duration shift) {
		return "-javaagent:%s=%d".formatted(this.jar, shift.toSeconds());
	}

}
