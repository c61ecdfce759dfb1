package dev.idempotency.webflux;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.CollectionUtils;
import org.springframework.util.LinkedCaseInsensitiveMap;

/**
 * The status and the headers of a protected response, apart from those of the server:
 * some servers recycle theirs when the client disconnects.
 */
final class ResponseHead {

	private final Map<String, List<String>> before = new LinkedCaseInsensitiveMap<>(8, Locale.ROOT);

	/**
	 * What {@link #headers} holds. To iterate over it does not copy the names.
	 */
	private final Map<String, List<String>> now = new LinkedCaseInsensitiveMap<>(8, Locale.ROOT);

	private final HttpHeaders headers = new HttpHeaders(CollectionUtils.toMultiValueMap(this.now));

	private volatile @Nullable HttpStatusCode status;

	ResponseHead(HttpHeaders server, @Nullable HttpStatusCode status) {
		this.status = status;
		server.forEach((name, values) -> {
			this.before.put(name, List.copyOf(values));
			this.now.put(name, new ArrayList<>(values));
		});
	}

	HttpHeaders headers() {
		return this.headers;
	}

	@Nullable HttpStatusCode status() {
		return this.status;
	}

	void status(@Nullable HttpStatusCode status) {
		this.status = status;
	}

	/**
	 * What was added, changed or removed; a header that was removed has no values.
	 * Unchanged headers come from filters, which write them on each response anyway.
	 */
	Map<String, List<String>> changed() {
		Map<String, List<String>> changed = new LinkedHashMap<>();
		this.now.forEach((name, values) -> {
			if (!values.equals(this.before.get(name))) {
				changed.put(name, List.copyOf(values));
			}
		});
		this.before.forEach((name, values) -> {
			if (!this.now.containsKey(name)) {
				changed.put(name, List.of());
			}
		});
		return changed;
	}

}
