package dev.idempotency;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes an operation safe to retry: it runs once per key, and its retries get the stored
 * answer back.
 * <p>
 * On a type it applies to all of its handlers; on a method it wins over the type. It can
 * be a meta-annotation. What the settings say under {@code idempotency.operations} about
 * an operation by its name wins over both.
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface Idempotent {

	/**
	 * Where the key comes from. On a web handler, an expression of
	 * {@code header('name')}, {@code body('/json/pointer')}, {@code path('variable')} and
	 * {@code query('parameter')}, each of which must be there, or {@code derived()} for a
	 * key made of the caller and the request itself. On any other bean's method, SpEL
	 * over its arguments, such as {@code #order.id}: no types, constructors or beans.
	 * <p>
	 * Several parts are put together by {@code join}, as
	 * {@link IdempotencyKeys#join(String...)} does it, such as
	 * {@code join(path('id'), query('version'))} or {@code join(#tenant, #p1)}: no other
	 * parts give the same key. No part of a method's key may be null or blank. {@code +}
	 * puts texts side by side; two parts that vary may meet others then, and start-up
	 * warns.
	 * @return the expression; by default the key is in the {@code Idempotency-Key}
	 * header, and a method outside the web needs one
	 */
	String key() default "";

	/**
	 * Whether a retry must ask for the same as the first request; otherwise the key alone
	 * tells operations apart, as for webhooks whose sender changes the body between
	 * deliveries. A {@code derived()} key is made of the request all the same.
	 * @return whether requests are compared
	 */
	boolean fingerprint() default true;

	/**
	 * How long the key and its answer are remembered, from the claim on, such as
	 * {@code 7d} or {@code ${orders.ttl:24h}}.
	 * @return a duration; by default {@code idempotency.ttl}
	 */
	String ttl() default "";

	/**
	 * How long a claim holds after its process died, such as {@code 2m} or
	 * {@code ${orders.lease:2m}}.
	 * @return a duration; by default {@code idempotency.lease}
	 */
	String lease() default "";

	/**
	 * How long an attempt waits for its running twin, such as {@code 5s} or
	 * {@code ${orders.wait:5s}}. Whoever says it waits, whatever {@link #onConflict()}
	 * says; {@code 0s} is not at all.
	 * @return a duration; by default {@code idempotency.wait-timeout} with
	 * {@link OnConflict#WAIT}
	 */
	String waitTimeout() default "";

	/**
	 * How often the answer is given out again, such as {@code 5} or
	 * {@code ${orders.replays:5}}; {@code 0} is without a limit.
	 * @return a number; by default {@code idempotency.max-replays}
	 */
	String maxReplays() default "";

	/**
	 * The largest body of a request, such as {@code 10MB} or {@code ${orders.size:10MB}}.
	 * It is for web handlers.
	 * @return a size; by default {@code idempotency.http.max-request-body}
	 */
	String maxRequestBody() default "";

	/**
	 * The largest body of an answer that is stored, such as {@code 10MB} or
	 * {@code ${orders.size:10MB}}. It is for web handlers.
	 * @return a size; by default {@code idempotency.http.max-response-body}
	 */
	String maxResponseBody() default "";

	/**
	 * Whether a request without a key is refused. Otherwise it runs unprotected, with an
	 * {@link IdempotencyContext} that passes everything through.
	 * @return whether a key is required
	 */
	boolean required() default true;

	/**
	 * Whether the operation is protected at all; {@code false} marks a handler that was
	 * looked at and needs no protection.
	 * @return whether the operation is protected
	 */
	boolean enabled() default true;

	/**
	 * What becomes of a request whose twin is still running.
	 * @return what happens
	 */
	OnConflict onConflict() default OnConflict.REJECT;

	/**
	 * What becomes of a key whose executor vanished.
	 * @return what happens
	 */
	OnCrash onCrash() default OnCrash.RETRY;

	/**
	 * Whether the operation runs in a transaction in which its key is completed too, so
	 * that its work in the database and its answer are committed together or not at all.
	 * The answer leaves after the commit. An operation that fails, or answers with an
	 * error that is not stored, is rolled back. Needs a store in the same database, and a
	 * handler that answers synchronously. A request that is not protected (without a key
	 * where none is required, or with protection switched off) runs without it.
	 * @return whether it runs in such a transaction
	 */
	boolean transactional() default false;

	/**
	 * What a dry run does.
	 * @return what it does
	 */
	DryRun dryRun() default DryRun.REPORT;

	/**
	 * What the operation does to the world when it succeeds.
	 * @return the effect; by default inferred from the answer
	 */
	Effect effect() default Effect.INFERRED;

	/**
	 * Which answers are stored. For one that is not, the key is given back, and a retry
	 * runs again.
	 * @return which answers
	 */
	StoredAnswers store() default StoredAnswers.BY_POLICY;

	/**
	 * Which exceptions of a method outside the web are results: they are stored, and
	 * thrown again by its retries. After any other, the key is given back.
	 * @return the types of these exceptions
	 * @see ReplayedFailureException
	 */
	Class<? extends Throwable>[] storeExceptions() default {};

	/**
	 * The name of a method of the same bean, with the same parameters, that is asked
	 * before a method outside the web runs again after a crash: whether the attempt that
	 * vanished has done the work. It returns an {@link java.util.Optional} of the result,
	 * or a {@code boolean} where there is none. If it cannot tell, the method runs again,
	 * or is refused as {@link #onCrash()} says.
	 * @return the name; by default nobody is asked
	 */
	String verify() default "";

}
