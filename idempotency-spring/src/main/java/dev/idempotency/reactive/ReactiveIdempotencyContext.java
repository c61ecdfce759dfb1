package dev.idempotency.reactive;

import dev.idempotency.IdempotencyContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The {@link IdempotencyContext} of the protected operation that a reactive pipeline is a
 * part of. It is in Reactor's context, and so available everywhere in the pipeline, on
 * any thread. {@link IdempotencyContext#current()} works on bound threads only.
 */
public final class ReactiveIdempotencyContext {

	private static final Object KEY = IdempotencyContext.class;

	private ReactiveIdempotencyContext() {
	}

	/**
	 * The context of the operation.
	 * @return emits the context, or an {@link IllegalStateException} if this is not a
	 * part of a protected operation, or of one whose protection is switched off
	 */
	public static Mono<IdempotencyContext> current() {
		return find().switchIfEmpty(Mono.error(() -> new IllegalStateException(
				"There is no protected operation in Reactor's context. Subscribe inside its pipeline.")));
	}

	/**
	 * The context of the operation, if there is one.
	 * @return emits the context, or nothing
	 */
	public static Mono<IdempotencyContext> find() {
		return Mono.deferContextual((context) -> Mono.justOrEmpty(in(context)));
	}

	/**
	 * Makes an operation current for a pipeline:
	 * {@code contextWrite((context) -> bind(context, operation))}.
	 * @param context the context of the pipeline
	 * @return the same with the operation
	 */
	public static Context bind(Context context, IdempotencyContext operation) {
		return context.put(KEY, operation);
	}

	/**
	 * Prepares a pipeline that begins before its operation is known and continues after
	 * it, such as that of a request.
	 * @param context the context of the pipeline
	 * @return the same with a place for the operation
	 */
	public static Context bindLater(Context context) {
		return context.put(KEY, new Later());
	}

	/**
	 * Makes an operation current for the pipeline that was prepared for it, or else for
	 * its work only.
	 * @param context the context of the pipeline
	 * @param work the work of the operation
	 * @return the same work as part of the operation
	 */
	public static <T> Mono<T> bindNow(ContextView context, IdempotencyContext operation, Mono<T> work) {
		if (context.getOrDefault(KEY, null) instanceof Later later) {
			later.operation = operation;
			return work;
		}
		return work.contextWrite((inner) -> bind(inner, operation));
	}

	private static @Nullable IdempotencyContext in(ContextView context) {
		Object found = context.getOrDefault(KEY, null);
		return (found instanceof Later later) ? later.operation : (IdempotencyContext) found;
	}

	/**
	 * The enclosing operation of a subscriber, by its pipeline or by its thread.
	 * @param context the context of the subscriber
	 * @return the operation, or {@code null} if there is none
	 */
	public static @Nullable IdempotencyContext enclosing(ContextView context) {
		IdempotencyContext found = in(context);
		return (found != null) ? found : IdempotencyContext.find().orElse(null);
	}

	/**
	 * The steps of the operation: partial results that a retry does not compute again.
	 */
	public static ReactiveSteps steps() {
		return ReactiveSteps.OF_OPERATION;
	}

	/**
	 * The place of an operation that is not known yet.
	 */
	private static final class Later {

		private volatile @Nullable IdempotencyContext operation;

	}

}
