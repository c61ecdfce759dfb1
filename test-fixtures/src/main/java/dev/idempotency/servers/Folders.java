package dev.idempotency.servers;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

import dev.idempotency.fixtures.Unchecked;
import org.jspecify.annotations.Nullable;

/**
 * Folders of servers that have ended.
 */
final class Folders {

	private Folders() {
	}

	static void delete(Path folder) {
		if (!Files.exists(folder)) {
			return;
		}
		Unchecked.run(() -> Files.walkFileTree(folder, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
				Files.deleteIfExists(file);
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException ex) throws IOException {
				Files.deleteIfExists(directory);
				return FileVisitResult.CONTINUE;
			}

		}));
	}

}
