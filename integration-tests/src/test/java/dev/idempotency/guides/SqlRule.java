package dev.idempotency.guides;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.ScriptException;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A block of SQL runs on the table of records, in H2.
 */
final class SqlRule implements BlockCheck.Rule {

	@Override
	public List<String> complaints(CodeBlock block) {
		List<String> complaints = new ArrayList<>();
		String url = "jdbc:h2:mem:%s".formatted(UUID.randomUUID());
		try (Connection connection = DriverManager.getConnection(url)) {
			new ResourceDatabasePopulator(new ClassPathResource("dev/idempotency/store/jdbc/schema-h2.sql"))
				.populate(connection);
			try {
				new ResourceDatabasePopulator(new ByteArrayResource(block.text().getBytes(UTF_8))).populate(connection);
			}
			catch (ScriptException ex) {
				complaints.add(ex.getMessage() + ": " + ex.getCause());
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return complaints;
	}

}
