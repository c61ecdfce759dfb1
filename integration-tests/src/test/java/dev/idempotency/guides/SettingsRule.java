package dev.idempotency.guides;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.autoconfigure.IdempotencyProperties;
import dev.idempotency.fixtures.Unchecked;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * A block of settings can be loaded; ours can be bound, and all others are known to those
 * whose they are.
 */
final class SettingsRule implements BlockCheck.Rule {

	private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("idempotency");

	/**
	 * What an application of an example makes up.
	 */
	private static final Set<String> MADE_UP = Set.of("orders.ttl");

	private final Set<ConfigurationPropertyName> known = new HashSet<>();

	/**
	 * Those under which everybody may write what they like.
	 */
	private final Set<ConfigurationPropertyName> maps = new HashSet<>();

	SettingsRule() {
		Unchecked.run(() -> {
			ClassLoader loader = SettingsRule.class.getClassLoader();
			for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
				readMetadata(url);
			}
		});
	}

	private void readMetadata(URL url) throws IOException {
		try (InputStream metadata = url.openStream()) {
			List<Map<String, Object>> properties = JsonPath.parse(metadata).read("$.properties[*]");
			for (Map<String, Object> property : properties) {
				ConfigurationPropertyName name = ConfigurationPropertyName.adapt(String.valueOf(property.get("name")),
						'.');
				this.known.add(name);
				if (String.valueOf(property.get("type")).startsWith("java.util.Map")) {
					this.maps.add(name);
				}
			}
		}
	}

	@Override
	public List<String> complaints(CodeBlock block) {
		List<String> complaints = new ArrayList<>();
		Map<Object, Object> ours = new HashMap<>();
		load(block).forEach((text, value) -> {
			ConfigurationPropertyName name = ConfigurationPropertyName.adapt(text, '.');
			// What comes from elsewhere is known by its name only
			if (OURS.isAncestorOf(name) && !String.valueOf(value).contains("${")) {
				ours.put(text, value);
			}
			else if (!isKnown(name) && !MADE_UP.contains(text)) {
				complaints.add("Nobody knows the setting " + text);
			}
		});
		try {
			new Binder(new MapConfigurationPropertySource(ours)).bindOrCreate("idempotency",
					Bindable.of(IdempotencyProperties.class), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
		}
		catch (BindException ex) {
			complaints.add("%s: %s".formatted(ex.getMessage(), ex.getCause()));
		}
		return complaints;
	}

	private boolean isKnown(ConfigurationPropertyName name) {
		ConfigurationPropertyName setting = name.isLastElementIndexed() ? name.getParent() : name;
		return this.known.contains(setting) || this.maps.stream().anyMatch((map) -> map.isAncestorOf(name));
	}

	private static Map<String, Object> load(CodeBlock block) {
		PropertySourceLoader loader = block.language().equals("yaml") ? new YamlPropertySourceLoader()
				: new PropertiesPropertySourceLoader();
		Map<String, Object> loaded = new HashMap<>();
		Unchecked.run(() -> {
			for (PropertySource<?> source : loader.load("block",
					new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)))) {
				for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
					loaded.put(name, String.valueOf(source.getProperty(name)));
				}
			}
		});
		return loaded;
	}

}
