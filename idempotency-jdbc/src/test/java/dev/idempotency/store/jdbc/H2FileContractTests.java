package dev.idempotency.store.jdbc;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;

import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class H2FileContractTests extends JdbcStoreContract {

	@TempDir
	private static Path folder;

	@Override
	String url() {
		return "jdbc:h2:file:" + folder.resolve("contract");
	}

}
