package dev.idempotency.client;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyConfigurationException;

/**
 * Which header carries the key of a call: {@code Idempotency-Key}, except for hosts that
 * use another name.
 *
 * @param byHost the names of headers by the names of hosts
 */
public record KeyHeaders(Map<String, String> byHost) {

	/**
	 * The name that most servers use.
	 */
	public static final String DEFAULT = "Idempotency-Key";

	private static final Pattern HOST = Pattern.compile("[^\\s/:@]+|\\[[0-9a-f:.]+]");

	private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

	public KeyHeaders {
		Map<String, String> copy = new LinkedHashMap<>();
		byHost.forEach((host, name) -> {
			String lower = host.toLowerCase(Locale.ROOT);
			if (!HOST.matcher(lower).matches()) {
				throw new IdempotencyConfigurationException(
						"A host must be a name without scheme and port, but is \"%s\"".formatted(host),
						"Write one such as api.example.org.");
			}
			if (!NAME.matcher(name).matches()) {
				throw new IdempotencyConfigurationException(
						"The header for %s must be a valid name, but is \"%s\"".formatted(host, name),
						"Write letters, digits and hyphens.");
			}
			copy.put(lower, name);
		});
		byHost = Map.copyOf(copy);
	}

	/**
	 * The same header for all hosts.
	 */
	public static KeyHeaders standard() {
		return new KeyHeaders(Map.of());
	}

	/**
	 * A copy with the header for a further host.
	 * @param host the name of the host
	 * @param header the name of the header
	 */
	public KeyHeaders with(String host, String header) {
		Map<String, String> more = new LinkedHashMap<>(this.byHost);
		more.put(host.toLowerCase(Locale.ROOT), header);
		return new KeyHeaders(more);
	}

	/**
	 * The header for a call.
	 * @param uri the URI of the call
	 * @return the name of the header
	 */
	public String forUri(URI uri) {
		String host = uri.getHost();
		return (host != null) ? this.byHost.getOrDefault(host.toLowerCase(Locale.ROOT), DEFAULT) : DEFAULT;
	}

}
