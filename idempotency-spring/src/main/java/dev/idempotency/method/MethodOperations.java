package dev.idempotency.method;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.StoredAnswers;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.ResultCodec;
import dev.idempotency.call.ResultFormat;
import dev.idempotency.method.MethodOperation.Delivery;
import dev.idempotency.method.MethodOperation.TransactionScope;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ResolvableType;

/**
 * The protected methods. Each annotation is resolved once.
 */
final class MethodOperations {

	/**
	 * Types that are read after the method has returned, or cannot be waited for here. By
	 * name, since some are optional.
	 */
	private static final List<String> NOT_A_RESULT = List.of("java.util.concurrent.Future",
			"java.util.stream.BaseStream", "java.util.Iterator", "java.io.InputStream", "java.io.Reader");

	/**
	 * Types with any number of results.
	 */
	private static final List<String> MANY_RESULTS = List.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow");

	private static final String MONO = "reactor.core.publisher.Mono";

	private final AnnotationPolicies policies;

	private final ResultCodec codec;

	private final TransactionAdvice transactionAdvice;

	private final Map<MethodClassKey, MethodOperation> known = new ConcurrentHashMap<>();

	private final Map<MethodClassKey, Boolean> tools = new ConcurrentHashMap<>();

	MethodOperations(AnnotationPolicies policies, ResultCodec codec, TransactionAdvice transactionAdvice) {
		this.policies = policies;
		this.codec = codec;
		this.transactionAdvice = transactionAdvice;
	}

	/**
	 * The operation of a method of a bean.
	 * @throws IdempotencyConfigurationException if it cannot be protected
	 */
	MethodOperation operationOf(Method method, Class<?> type) {
		return this.known.computeIfAbsent(new MethodClassKey(method, type), (key) -> resolve(method, type));
	}

	/**
	 * The format of the results of an operation.
	 * @return {@code null} if it is not that of a method
	 */
	@Nullable ResultFormat formatOf(String name) {
		return this.known.values()
			.stream()
			.filter((operation) -> operation.name().equals(name))
			.map(MethodOperation::format)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Whether a method is a tool of an agent that its callback protects.
	 */
	boolean isProtectedByItsCallback(Method method, Class<?> type) {
		return this.tools.computeIfAbsent(new MethodClassKey(method, type),
				(key) -> AnnotatedMethods.isProtectedByItsCallback(method, type));
	}

	private MethodOperation resolve(Method method, Class<?> type) {
		Method specific = AnnotatedMethods.specific(method, type);
		Idempotent annotation = AnnotatedMethods.find(method, type);
		if (annotation == null) {
			throw new IllegalStateException("%s is not protected".formatted(specific));
		}
		String name = AnnotatedMethods.operationOf(specific, type);
		requireWithoutWeb(annotation, name);
		ResolvableType returned = ResolvableType.forMethodReturnType(specific, type);
		Delivery delivery = deliveryOf(returned.toClass());
		requireWaitable(specific, returned.toClass(), delivery, name);
		boolean later = delivery != Delivery.NOW;
		Type result = resultOf(specific, type, later);
		requireReadable(result, name);
		if (later && annotation.transactional()) {
			throw new IdempotencyConfigurationException(
					"%s asks for transactional = true and answers asynchronously, outside of the transaction"
						.formatted(name),
					"Return the result itself, or leave transactional out.");
		}
		return new MethodOperation(name, key(annotation.key(), name, specific),
				this.policies.namedPolicyOf(annotation, name), this.codec.forType(result), delivery,
				// A later result is no part of a transaction that ends when the method
				// returns
				later ? TransactionScope.NONE : scope(annotation, specific, type, name),
				List.of(annotation.storeExceptions()), verification(annotation.verify(), specific, result, type, name));
	}

	private static Delivery deliveryOf(Class<?> returned) {
		if (CompletionStage.class.isAssignableFrom(returned)) {
			return Delivery.FUTURE;
		}
		return returned.getName().equals(MONO) ? Delivery.MONO : Delivery.NOW;
	}

	private static Type resultOf(Method method, Class<?> type, boolean later) {
		Type returned = GenericTypeResolver.resolveType(method.getGenericReturnType(), type);
		if (!later) {
			return returned;
		}
		return (returned instanceof ParameterizedType stage) ? stage.getActualTypeArguments()[0] : Object.class;
	}

	private static void requireWithoutWeb(Idempotent annotation, String name) {
		if (!annotation.required()) {
			throw new IdempotencyConfigurationException(
					"%s asks for required = false, but a method always needs its key".formatted(name),
					"Leave required out, or call another method if there is no key.");
		}
		if (annotation.dryRun() != DryRun.REPORT || annotation.store() != StoredAnswers.BY_POLICY) {
			throw new IdempotencyConfigurationException(
					"%s asks for dryRun or store, which are for web handlers".formatted(name),
					"Leave them out. To store exceptions, use storeExceptions.");
		}
		if (!annotation.maxRequestBody().isEmpty() || !annotation.maxResponseBody().isEmpty()
				|| annotation.fingerprintExcludes().length > 0 || annotation.storeEvents()) {
			throw new IdempotencyConfigurationException(
					"%s asks for maxRequestBody, maxResponseBody, fingerprintExcludes or storeEvents, which are for web handlers"
						.formatted(name),
					"Leave them out: a method has no body.");
		}
	}

	private static void requireWaitable(Method method, Class<?> type, Delivery delivery, String name) {
		Class<?>[] parameters = method.getParameterTypes();
		if (parameters.length > 0
				&& parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
			throw new IdempotencyConfigurationException(
					"%s returns a result by suspending, which cannot be stored and replayed".formatted(name),
					"Return a value, or a CompletableFuture or a Mono of one: mono { ... } makes one of a coroutine.");
		}
		if (delivery == Delivery.MONO) {
			return;
		}
		if (isAny(type, MANY_RESULTS)) {
			throw new IdempotencyConfigurationException(
					"%s returns a %s, which may have many results and is read while they arrive. It cannot be stored and replayed"
						.formatted(name, type.getName()),
					"Return a Mono of all results, such as flux.collectList(), or a CompletableFuture of them.");
		}
		boolean stage = type == CompletionStage.class || type == CompletableFuture.class;
		if ((delivery == Delivery.FUTURE) ? !stage : isAny(type, NOT_A_RESULT)) {
			throw new IdempotencyConfigurationException(
					"%s returns a %s, which cannot be stored and replayed".formatted(name, type.getName()),
					"Return a value, or a CompletableFuture or a Mono of one.");
		}
	}

	private static boolean isAny(Class<?> type, List<String> names) {
		return names.stream().anyMatch((name) -> isA(type, name));
	}

	private static boolean isA(@Nullable Class<?> type, String name) {
		if (type == null) {
			return false;
		}
		if (type.getName().equals(name) || isA(type.getSuperclass(), name)) {
			return true;
		}
		for (Class<?> implemented : type.getInterfaces()) {
			if (isA(implemented, name)) {
				return true;
			}
		}
		return false;
	}

	private void requireReadable(Type result, String name) {
		try {
			this.codec.requireReadable(result);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(
					"The result of %s could be stored, but not read back: %s".formatted(name, ex.getMessage()),
					"Return a type that Jackson can read, such as a record, with @JsonTypeInfo(use = NAME) and "
							+ "@JsonSubTypes on polymorphic types.");
		}
	}

	private static MethodKey key(String expression, String name, Method method) {
		try {
			return MethodKey.parse(expression, name, method);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(
					"The key \"%s\" of %s cannot be used: %s".formatted(expression, name, ex.getMessage()),
					"Write SpEL over its arguments, such as #order.id or join(#tenant, #p1), without types, "
							+ "constructors and beans.");
		}
	}

	private TransactionScope scope(Idempotent annotation, Method method, Class<?> type, String name) {
		if (!annotation.transactional()) {
			return this.transactionAdvice.joinsCaller(method, type) ? TransactionScope.FOLLOWS_CALLER
					: TransactionScope.NONE;
		}
		if (this.transactionAdvice.leaves(method, type)) {
			throw new IdempotencyConfigurationException(
					"%s asks for transactional = true, but its own transaction takes no part in the one in which its key is completed"
						.formatted(name),
					"Leave out the propagation of @Transactional, or leave transactional out.");
		}
		return TransactionScope.JOINS;
	}

	private static @Nullable Verification verification(String verify, Method method, Type result, Class<?> type,
			String name) {
		if (verify.isEmpty()) {
			return null;
		}
		try {
			return Verification.of(verify, method, result, type);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(
					"%s cannot be verified by \"%s\": %s".formatted(name, verify, ex.getMessage()),
					"Name a method of the same bean with the same parameters that returns an Optional of the result, "
							+ "or a boolean if there is none.");
		}
	}

}
