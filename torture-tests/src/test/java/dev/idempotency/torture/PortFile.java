package dev.idempotency.torture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import dev.idempotency.fixtures.Unchecked;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Tells the parent of a {@link BootProcess} where to find it.
 */
public final class PortFile implements ApplicationListener<WebServerInitializedEvent> {

	static final String SETTING = "test.port-file";

	private final Path file;

	PortFile(@Value("${" + SETTING + "}") Path file) {
		this.file = file;
	}

	@Override
	public void onApplicationEvent(WebServerInitializedEvent event) {
		Unchecked.run(() -> {
			Path temporary = this.file.resolveSibling(this.file.getFileName() + ".tmp");
			Files.writeString(temporary, String.valueOf(event.getWebServer().getPort()));
			Files.move(temporary, this.file, StandardCopyOption.ATOMIC_MOVE);
		});
	}

}
