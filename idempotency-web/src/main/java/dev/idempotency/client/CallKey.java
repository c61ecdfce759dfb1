package dev.idempotency.client;

import java.net.URI;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;

/**
 * The key of one call, and the number that the call has among equal ones. Whoever makes
 * the call says how it ended.
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
	 * @param body {@code null} if it is not in memory
	 */
	static CallKey of(Operation operation, HttpMethod method, URI uri, @Nullable MediaType type,
			byte @Nullable [] body) {
		String call = IdempotencyKeys.scoped("outgoing-call", HexFormat.of().formatHex(operation.key().digest()),
				method.name(), uri.toASCIIString(), CallContent.hash(type, body));
		OutgoingCalls calls = OutgoingCalls.of(operation.context());
		int number = calls.take(call);
		return new CallKey(IdempotencyKeys.scoped(call, String.valueOf(number)), () -> calls.giveBack(call, number));
	}

	String value() {
		return this.value;
	}

	/**
	 * The call was answered. An error has done nothing, as far as anyone knows: an equal
	 * call after it is its retry.
	 */
	void answered(HttpStatusCode status) {
		if (status.isError()) {
			failed();
		}
	}

	/**
	 * The call was not answered, or not to the end.
	 */
	void failed() {
		// Once: someone else may have the number by then
		if (this.givenBack.compareAndSet(false, true)) {
			this.giveBack.run();
		}
	}

	/**
	 * An operation that calls are part of.
	 *
	 * @param context the attempt at it
	 * @param key its key
	 */
	record Operation(IdempotencyContext context, IdempotencyKey key) {

		/**
		 * The operation of a context.
		 * @return {@code null} if there is none
		 */
		static @Nullable Operation of(@Nullable IdempotencyContext context) {
			return (context != null) ? new Operation(context, context.key()) : null;
		}

	}

}
