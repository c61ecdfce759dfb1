package dev.idempotency.client;

import java.net.URI;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.digest.Parts;
import dev.idempotency.json.CanonicalJson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;

/**
 * The key of one call, and the number that the call has among equal ones. The caller
 * reports how the call ended.
 */
final class CallKey {

	private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS,
			HttpMethod.TRACE);

	private final String value;

	private final Runnable giveBack;

	private final AtomicBoolean givenBack = new AtomicBoolean();

	private CallKey(String value, Runnable giveBack) {
		this.value = value;
		this.giveBack = giveBack;
	}

	/**
	 * Whether calls with a method change nothing, and need no key.
	 */
	static boolean isSafe(HttpMethod method) {
		return SAFE.contains(method);
	}

	/**
	 * The key of a call that is part of no operation.
	 */
	static CallKey random() {
		return new CallKey(IdempotencyKeys.random(), () -> {
		});
	}

	/**
	 * The key of a call that is part of an operation: the same in each attempt at it.
	 * @param operation the current attempt
	 * @param body {@code null} if it is not in memory
	 */
	static CallKey of(IdempotencyContext operation, HttpMethod method, URI uri, @Nullable MediaType type,
			byte @Nullable [] body) {
		Parts parts = new Parts().add("outgoing-call")
			.add(operation.key().digest())
			.add(method.name())
			.add(uri.toASCIIString());
		addContent(parts, type, body);
		String call = HexFormat.of().formatHex(parts.digest());
		OutgoingCalls calls = OutgoingCalls.of(operation);
		int number = calls.take(call);
		byte[] numbered = parts.add(call).add(String.valueOf(number)).digest();
		return new CallKey(IdempotencyKeys.sha256(numbered), () -> calls.giveBack(call, number));
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
			CanonicalJson.addTo(parts, body, body.length);
		}
		else {
			parts.add("bytes").add(body);
		}
	}

	private static boolean isJson(MediaType type) {
		return "json".equalsIgnoreCase(type.getSubtype()) || "json".equalsIgnoreCase(type.getSubtypeSuffix());
	}

	String value() {
		return this.value;
	}

	/**
	 * The call got a response. An error counts as a failure: the next equal call is its
	 * retry.
	 */
	void answered(HttpStatusCode status) {
		if (status.isError()) {
			failed();
		}
	}

	/**
	 * The call got no response, or only a part of one.
	 */
	void failed() {
		// Once: another call may have taken the number by then
		if (this.givenBack.compareAndSet(false, true)) {
			this.giveBack.run();
		}
	}

}
