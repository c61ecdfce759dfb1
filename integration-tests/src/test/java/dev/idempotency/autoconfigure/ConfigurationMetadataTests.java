package dev.idempotency.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an IDE shows for each setting, and that the guide shows the same.
 */
class ConfigurationMetadataTests {

	private final List<Map<String, Object>> properties = read("properties");

	private final List<Map<String, Object>> hints = read("hints");

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
	void offersEveryValueOfASettingThatHasFew() throws ClassNotFoundException {
		int enums = 0;
		for (Map<String, Object> property : this.properties) {
			Class<?> type = ClassUtils.forName(text(property, "type").replaceAll("<.*", ""), null);
			if (type.isEnum()) {
				enums++;
				assertThat(hintsOf(text(property, "name"))).as("%s", property.get("name"))
					.extracting((value) -> value.get("value"))
					.containsExactlyInAnyOrderElementsOf(Arrays.stream(type.getEnumConstants())
						.map((constant) -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
						.toList())
					.contains(property.get("defaultValue"));
			}
		}
		assertThat(enums).isGreaterThanOrEqualTo(8);
	}

	@Test
	void saysWhatEachOfferedValueMeans() {
		assertThat(this.hints).hasSizeGreaterThanOrEqualTo(16).allSatisfy((hint) -> {
			assertThat(this.properties).extracting((property) -> property.get("name")).contains(hint.get("name"));
			assertThat(hintsOf(text(hint, "name"))).isNotEmpty()
				.allSatisfy((value) -> assertThat((String) value.get("description")).endsWith("."));
		});
	}

	@Test
	void understandsEveryOfferedValue() {
		this.hints.forEach((hint) -> hintsOf(text(hint, "name")).forEach((value) -> {
			Map<Object, Object> setting = Map.of(text(hint, "name"), text(value, "value"));
			assertThat(new Binder(new MapConfigurationPropertySource(setting)).bindOrCreate("idempotency",
					IdempotencyProperties.class))
				.as("%s", setting)
				.isNotNull();
		}));
	}

	private List<Map<String, Object>> hintsOf(String name) {
		return this.hints.stream()
			.filter((hint) -> text(hint, "name").equals(name))
			.flatMap((hint) -> ((List<?>) Objects.requireNonNull(hint.get("values"))).stream())
			.map(ConfigurationMetadataTests::asMap)
			.toList();
	}

	private static String text(Map<String, Object> from, String name) {
		return String.valueOf(from.get(name));
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> asMap(Object value) {
		return (Map<String, Object>) value;
	}

	@Test
	void agreesWithTheReadme() throws IOException {
		Map<String, String> documented = new TreeMap<>();
		Matcher rows = Pattern
			.compile("^\\| `(idempotency\\.[a-z.-]+)` \\| (?:`([^`]*)`|[^|`]+) \\|", Pattern.MULTILINE)
			.matcher(Files.readString(Path.of("../docs/settings.md")));
		while (rows.find()) {
			documented.put(rows.group(1), String.valueOf(rows.group(2)));
		}
		Map<String, String> actual = new TreeMap<>();
		this.properties.forEach(
				(property) -> actual.put((String) property.get("name"), String.valueOf(property.get("defaultValue"))));
		assertThat(documented).isEqualTo(actual);
	}

	private static List<Map<String, Object>> read(String part) {
		try (InputStream metadata = IdempotencyProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			return JsonPath.parse(metadata).read("$.%s[?(@.name =~ /idempotency\\..*/)]".formatted(part));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
