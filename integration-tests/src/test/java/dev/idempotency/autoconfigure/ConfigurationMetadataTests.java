package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an IDE shows for each setting, and that the README shows the same.
 */
class ConfigurationMetadataTests {

	private final List<Map<String, Object>> properties = properties();

	@Test
	void describesEverySetting() {
		assertThat(this.properties).hasSizeGreaterThanOrEqualTo(11)
			.allSatisfy((property) -> assertThat((String) property.get("description")).as("%s", property.get("name"))
				.endsWith(".")
				.hasSizeGreaterThan(20));
	}

	@Test
	void beginsTheDescriptionOfASwitchWithWhether() {
		assertThat(this.properties).filteredOn((property) -> "java.lang.Boolean".equals(property.get("type")))
			.isNotEmpty()
			.allSatisfy((property) -> assertThat((String) property.get("description")).startsWith("Whether "));
	}

	@Test
	void agreesWithTheReadme() throws IOException {
		Map<String, String> documented = new TreeMap<>();
		Matcher rows = Pattern
			.compile("^\\| `(idempotency\\.[a-z.-]+)` \\| (?:`([^`]*)`|[^|`]+) \\|", Pattern.MULTILINE)
			.matcher(Files.readString(Path.of("../README.md")));
		while (rows.find()) {
			documented.put(rows.group(1), String.valueOf(rows.group(2)));
		}
		Map<String, String> actual = new TreeMap<>();
		this.properties.forEach(
				(property) -> actual.put((String) property.get("name"), String.valueOf(property.get("defaultValue"))));
		assertThat(documented).isEqualTo(actual);
	}

	private static List<Map<String, Object>> properties() {
		try (InputStream metadata = IdempotencyProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			return JsonPath.parse(metadata).read("$.properties[?(@.name =~ /idempotency\\..*/)]");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
