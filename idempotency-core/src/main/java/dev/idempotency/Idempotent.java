package dev.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes an operation safe to retry: it runs once per key, and its retries get the stored
 * response.
 * <p>
 * On a type it applies to all of its handlers; on a method it overrides the type. It can
 * be a meta-annotation. Settings under {@code idempotency.operations} for the name of an
 * operation override both.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Idempotent {

	/**
	 * Where the key comes from. On a web handler, an expression of
	 * {@code header('name')}, {@code body('/json/pointer')}, {@code path('variable')} and
	 * {@code query('parameter')}, each of which must be present, or {@code derived()} for
	 * a key made of the caller and the request itself. On any other bean's method, SpEL
	 * over its arguments, such as {@code #order.id}: no types, constructors or beans.
	 * <p>
	 * {@code join} combines several parts, as {@link IdempotencyKeys#join(String...)}
	 * does, such as {@code join(path('id'), query('version'))} or
	 * {@code join(#tenant, #p1)}: no other parts give the same key. No part of a method's
	 * key may be null or blank. {@code +} concatenates texts, so that different parts can
	 * give the same key; a warning at startup says so.
	 * @return the expression; by default the key is in the {@code Idempotency-Key}
	 * header. A method outside the web needs an expression
	 */
	String key() default "";

	/**
	 * Whether a retry must equal the first request. Otherwise the key alone identifies
	 * the operation, as for webhooks whose sender changes the body between deliveries. A
	 * {@code derived()} key is made of the request in either case.
	 * @return whether requests are compared
	 */
	boolean fingerprint() default true;

	/**
	 * The parts of a JSON body in which a retry may differ, for clients that stamp each
	 * attempt: JSON pointers (RFC 6901) such as {@code /sentAt} or {@code /meta/attempt}.
	 * They count neither in the comparison nor in a {@code derived()} key. The operation
	 * runs with the values of the first request, so never exclude what it acts on, such
	 * as an amount. A body that is not JSON counts completely. It is for web handlers.
	 * @return the pointers; by default all of the body counts
	 */
	String[] fingerprintExcludes() default {};

	/**
	 * How long the key and its response are stored, from the claim on, such as {@code 7d}
	 * or {@code ${orders.ttl:24h}}.
	 * @return a duration; by default {@code idempotency.ttl}
	 */
	String ttl() default "";

	/**
	 * How long a claim holds after its process has crashed, such as {@code 2m} or
	 * {@code ${orders.lease:2m}}.
	 * @return a duration; by default {@code idempotency.lease}
	 */
	String lease() default "";

	/**
	 * How long an attempt waits for a key that is in progress, such as {@code 5s} or
	 * {@code ${orders.wait:5s}}. It overrides {@link #onConflict()}; with {@code 0s} an
	 * attempt does not wait.
	 * @return a duration; by default {@code idempotency.wait-timeout} with
	 * {@link OnConflict#WAIT}
	 */
	String waitTimeout() default "";

	/**
	 * How often the response is replayed, such as {@code 5} or
	 * {@code ${orders.replays:5}}; {@code 0} means no limit.
	 * @return a number; by default {@code idempotency.max-replays}
	 */
	String maxReplays() default "";

	/**
	 * The largest request body, such as {@code 10MB} or {@code ${orders.size:10MB}}. It
	 * is for web handlers.
	 * @return a size; by default {@code idempotency.http.max-request-body}
	 */
	String maxRequestBody() default "";

	/**
	 * The largest response body that is stored, such as {@code 10MB} or
	 * {@code ${orders.size:10MB}}. It is for web handlers.
	 * @return a size; by default {@code idempotency.http.max-response-body}
	 */
	String maxResponseBody() default "";

	/**
	 * Whether a request without a key is refused. Otherwise it runs unprotected, with an
	 * {@link IdempotencyContext} that is a pass-through.
	 * @return whether a key is required
	 */
	boolean required() default true;

	/**
	 * Whether the operation is protected at all; {@code false} marks a handler that
	 * deliberately has no protection.
	 * @return whether the operation is protected
	 */
	boolean enabled() default true;

	/**
	 * What happens to a request with a key that is in progress.
	 * @return what happens
	 */
	OnConflict onConflict() default OnConflict.REJECT;

	/**
	 * What happens to an abandoned key: its attempt has crashed, or its outcome is
	 * unknown.
	 * @return what happens
	 */
	OnCrash onCrash() default OnCrash.RETRY;

	/**
	 * Whether the operation runs in a transaction in which its key is completed too, so
	 * that its work in the database and its response are committed together or not at
	 * all. The response is sent after the commit. An operation that fails, or responds
	 * with an error that is not stored, is rolled back. Requires a store in the same
	 * database, and a handler that responds synchronously. A request that is not
	 * protected (without a key where none is required, or with protection disabled) runs
	 * without it.
	 * @return whether it runs in such a transaction
	 */
	boolean transactional() default false;

	/**
	 * What a dry run does.
	 * @return what it does
	 */
	DryRun dryRun() default DryRun.REPORT;

	/**
	 * The effect of the operation when it succeeds.
	 * @return the effect; by default inferred from the response
	 */
	Effect effect() default Effect.INFERRED;

	/**
	 * Which responses are stored. After any other, the key is released, and a retry runs
	 * again.
	 * @return which responses
	 */
	StoredAnswers store() default StoredAnswers.BY_POLICY;

	/**
	 * Whether event streams ({@code text/event-stream}) are stored, up to
	 * {@link #maxResponseBody()}: for a handler whose streams end, as those of a chat do.
	 * The client gets each event as it is sent, and a retry gets all of them. An emitter
	 * of such a handler goes on when its client disconnects. It is for web handlers.
	 * @return whether event streams are stored; otherwise a retry is refused
	 */
	boolean storeEvents() default false;

	/**
	 * Which exceptions of a method outside the web are results: they are stored, and its
	 * retries throw them again. After any other, the key is released.
	 * @return the types of these exceptions
	 * @see ReplayedFailureException
	 */
	Class<? extends Throwable>[] storeExceptions() default {};

	/**
	 * More exceptions after which it is unknown whether the operation did its work, such
	 * as those of a client of another system that can time out. They count anywhere among
	 * the causes of a failure. The key is then not released, but left to the next attempt
	 * at once, which is told so in the same way as after a crash; {@link #onCrash()}
	 * decides whether it runs. An operation that is {@link #transactional()} is rolled
	 * back instead, and its key released.
	 * @return the types of these exceptions, in addition to
	 * {@code idempotency.unknown-on}
	 * @see IdempotencyContext#outcomeUnknown()
	 */
	Class<? extends Throwable>[] unknownOn() default {};

	/**
	 * The name of a method that is called before a method outside the web runs again
	 * after a crash, or after an attempt whose outcome is unknown. It tells whether that
	 * attempt has done the work. It is a method of the same bean, with the same
	 * parameters, and returns an {@link java.util.Optional} of the result, or a
	 * {@code boolean} where there is none. If it cannot tell, {@link #onCrash()} decides
	 * whether the method runs again.
	 * @return the name; by default no method is called
	 */
	String verify() default "";

}
