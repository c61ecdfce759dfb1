package dev.idempotency.client;

import java.net.URI;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.digest.Parts;
import dev.idempotency.json.CanonicalJson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

/**
 * A call that an attempt at an operation makes. A number tells it from equal ones of the
 * same attempt. If it fails, it gives its number back: the next equal call is its retry,
 * also where the application itself retries.
 * <p>
 * Calls of several threads at once have no defined order, and need none, since only equal
 * ones share numbers.
 */
final class OutgoingCall {

	/**
	 * How much of a response is read before the caller gets it.
	 */
	static final int READ_AHEAD = 1024 * 1024;

	private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS,
			HttpMethod.TRACE);

	/**
	 * The numbers that are taken, by the digest that equal calls share. They live as long
	 * as their context. All clients share them, since two of them may make the same call.
	 */
	private static final LoadingCache<IdempotencyContext, Map<String, BitSet>> numbers = Caffeine.newBuilder()
		.weakKeys()
		.build((context) -> new ConcurrentHashMap<>());

	private final IdempotencyContext operation;

	private final HttpMethod method;

	private final URI uri;

	private @Nullable String key;

	private Runnable giveBack = () -> {
	};

	OutgoingCall(IdempotencyContext operation, HttpMethod method, URI uri) {
		this.operation = operation;
		this.method = method;
		this.uri = uri;
	}

	/**
	 * Whether calls with a method change nothing, and need no key.
	 */
	static boolean isSafe(HttpMethod method) {
		return SAFE.contains(method);
	}

	/**
	 * Whether a response is a stream, which may never end.
	 */
	static boolean isStream(@Nullable MediaType type) {
		return type != null
				&& (MediaType.TEXT_EVENT_STREAM.includes(type) || MediaType.APPLICATION_NDJSON.includes(type));
	}

	/**
	 * The key, which is made when the body is known, and once: a filter may send the
	 * request again. It is the same in each attempt at the operation.
	 * @param body {@code null} if it is not in memory
	 */
	synchronized String key(@Nullable MediaType type, byte @Nullable [] body) {
		if (this.key == null) {
			Parts parts = new Parts().add("outgoing-call")
				.add(this.operation.key().digest())
				.add(this.method.name())
				.add(this.uri.toASCIIString());
			addContent(parts, type, body);
			String call = HexFormat.of().formatHex(parts.digest());
			this.key = IdempotencyKeys.sha256(parts.add(call).add(String.valueOf(take(call))).digest());
		}
		return this.key;
	}

	/**
	 * Takes the lowest number that is free.
	 */
	private int take(String call) {
		BitSet taken = numbers.get(this.operation).computeIfAbsent(call, (it) -> new BitSet());
		synchronized (taken) {
			int number = taken.nextClearBit(0);
			taken.set(number);
			this.giveBack = () -> {
				synchronized (taken) {
					taken.clear(number);
				}
			};
			return number;
		}
	}

	/**
	 * Adds the part of the body that distinguishes the call from others. It is the same
	 * in each attempt, however the body is serialized.
	 */
	private static void addContent(Parts parts, @Nullable MediaType type, byte @Nullable [] body) {
		// The boundary of a multipart body changes each time
		if (body == null || (type != null && "multipart".equalsIgnoreCase(type.getType()))) {
			parts.add((String) null);
		}
		else if (type != null && isJson(type)) {
			// Each process writes a Map.of(…) in another order
			CanonicalJson.addTo(parts, body, body.length, List.of());
		}
		else {
			parts.add("bytes").add(body);
		}
	}

	private static boolean isJson(MediaType type) {
		return "json".equalsIgnoreCase(type.getSubtype()) || "json".equalsIgnoreCase(type.getSubtypeSuffix());
	}

	/**
	 * The call got an error, no response, or only a part of one.
	 */
	synchronized void failed() {
		this.giveBack.run();
		// Once: another call may have taken the number by then
		this.giveBack = () -> {
		};
	}

}
