package dev.idempotency.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Copies the folder of a running PostgreSQL, as {@code pg_basebackup} does, which the
 * PostgreSQL of the tests comes without.
 */
final class BaseBackup {

	private static final Set<String> OWN = Set.of("postmaster.pid", "postmaster.opts", "epg-lock", "standby.signal",
			"backup_label");

	private final Path data;

	BaseBackup(Path data) {
		this.data = data;
	}

	/**
	 * Fills the folder of a standby.
	 */
	void takeInto(Path standby, int primaryPort, String url) throws IOException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			statement.execute("select pg_backup_start('standby', true)");
			copyTo(standby);
			try (ResultSet label = statement.executeQuery("select labelfile from pg_backup_stop(false)")) {
				label.next();
				Files.writeString(standby.resolve("backup_label"), label.getString(1));
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		Files.createFile(standby.resolve("standby.signal"));
		String primary = "primary_conninfo = 'host=127.0.0.1 port=%d user=postgres'%n".formatted(primaryPort);
		Files.writeString(standby.resolve("postgresql.auto.conf"), primary, StandardOpenOption.APPEND);
	}

	private void copyTo(Path standby) throws IOException {
		List<Path> files;
		try (Stream<Path> all = Files.walk(this.data)) {
			files = all.toList();
		}
		for (Path file : files) {
			Path relative = this.data.relativize(file);
			if (!relative.toString().isEmpty() && !OWN.contains(relative.toString())) {
				copy(file, standby.resolve(relative), relative);
			}
		}
	}

	private static void copy(Path file, Path target, Path relative) throws IOException {
		try {
			if (Files.isDirectory(file)) {
				Files.createDirectory(target,
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
			}
			else if (!relative.startsWith("pg_wal")) {
				// What was written since is streamed
				Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
			}
		}
		catch (NoSuchFileException ex) {
			// Dropped since: the log of changes knows
		}
	}

}
