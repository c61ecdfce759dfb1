package dev.idempotency.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.core.BodyLimits;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.OperationSettings;
import dev.idempotency.http.HttpSettings.Protect;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;

/**
 * Knows how each handler is protected. Each annotation is evaluated once.
 */
public final class ProtectedOperations {

	private static final Idempotent DEFAULTS = AnnotationUtils.synthesizeAnnotation(Idempotent.class);

	private final HttpSettings settings;

	private final AnnotationPolicies policies;

	private final KeySource defaultKeySource;

	private final RequestFingerprinter fingerprinter;

	/**
	 * The fingerprinters of operations whose settings say what does not count.
	 */
	private final Map<String, Optional<RequestFingerprinter>> excluding = new HashMap<>();

	private final HandlerAnswers answers;

	private final Logger logger;

	private final Map<HandlerMethod, Protection> known = new ConcurrentHashMap<>();

	/**
	 * Create the lookup.
	 * @param settings how requests are protected
	 * @param policies how annotated operations are protected
	 * @param strategies the strategies of the application
	 * @param answers what the edge knows about the responses of handlers
	 * @param logger the log of the edge
	 */
	public ProtectedOperations(HttpSettings settings, AnnotationPolicies policies, HttpStrategies strategies,
			HandlerAnswers answers, Logger logger) {
		this.settings = settings;
		this.policies = policies;
		this.defaultKeySource = strategies.keySource(settings.keyTime());
		this.fingerprinter = strategies.fingerprinter();
		policies.named().settings().forEach((name, named) -> {
			if (named.fingerprintExcludes() != null) {
				String setting = "idempotency.operations.[%s].fingerprint-excludes".formatted(name);
				this.excluding.put(name, Optional.ofNullable(excluding(named.fingerprintExcludes(), setting)));
			}
		});
		this.answers = answers;
		this.logger = logger;
	}

	/**
	 * How a handler is protected when it is called with a method.
	 * @param method the method of the request
	 * @return {@code null} if it is not
	 */
	public @Nullable ProtectedOperation find(HandlerMethod handler, String method) {
		Protection protection = protectionOf(handler);
		return protection.covers(method) ? protection.operation() : null;
	}

	/**
	 * An operation as the settings configure it by name.
	 * @param method the method of a request
	 * @param pattern the pattern of its route, or {@code null} if it has none
	 * @param path the path of the request
	 */
	public ProtectedOperation named(ProtectedOperation operation, String method, @Nullable Object pattern,
			String path) {
		if (this.policies.named().settings().isEmpty()) {
			return operation;
		}
		return named(operation, OperationNames.name(method, (pattern != null) ? pattern.toString() : path));
	}

	ProtectedOperation named(ProtectedOperation operation, String name) {
		NamedOperations named = this.policies.named();
		ProtectedOperation result = operation.with(named.policyOf(name, operation.policy()),
				named.limitsOf(name, operation.limits()));
		Optional<RequestFingerprinter> own = this.excluding.get(name);
		return (own != null) ? result.excluding(own.orElse(null)) : result;
	}

	Protection protectionOf(HandlerMethod handler) {
		HandlerMethod original = handler.getResolvedFromHandlerMethod();
		HandlerMethod key = (original != null) ? original : handler;
		Protection protection = this.known.get(key);
		return (protection != null) ? protection : this.known.computeIfAbsent(key, this::resolve);
	}

	private Protection resolve(HandlerMethod handler) {
		Idempotent annotation = AnnotatedElementUtils.findMergedAnnotation(handler.getMethod(), Idempotent.class);
		boolean onMethod = annotation != null;
		if (annotation == null) {
			annotation = AnnotatedElementUtils.findMergedAnnotation(handler.getBeanType(), Idempotent.class);
		}
		if (annotation != null) {
			return new Protection(onMethod, true,
					annotation.enabled() ? operation(annotation, handler.toString(), handler) : null);
		}
		boolean implied = this.settings.protect() == Protect.UNSAFE_METHODS && !isInfrastructure(handler);
		return new Protection(false, false, implied ? operation(DEFAULTS, handler.toString(), handler) : null);
	}

	/**
	 * Whether a handler does no work of the application.
	 */
	static boolean isInfrastructure(HandlerMethod handler) {
		Class<?> type = handler.getBeanType();
		return type.getName().startsWith("org.springframework.") || ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch(ProtectedOperations::isErrorController);
	}

	/**
	 * Whether a type is Spring Boot's error controller. Spring Boot may be absent.
	 */
	private static boolean isErrorController(Class<?> type) {
		return type.getName().equals("org.springframework.boot.webmvc.error.ErrorController");
	}

	/**
	 * The operation of a route that has no annotation.
	 */
	public ProtectedOperation defaultOperation() {
		return operation(DEFAULTS, "a route", null);
	}

	private ProtectedOperation operation(Idempotent annotation, String handler, @Nullable HandlerMethod method) {
		Class<?> answer = (method != null) ? answerType(method) : Object.class;
		this.answers.requirePossible(annotation, answer, handler);
		requireAbsent(annotation.verify().isEmpty(), "verify", handler,
				"Call IdempotencyContext.mayHaveRun() in the handler, or put @Idempotent on a bean behind it.");
		requireAbsent(annotation.storeExceptions().length == 0, "storeExceptions", handler,
				"Leave it out: the response to an exception is stored like any other, see store.");
		OperationPolicy policy = this.policies.policyOf(annotation, handler);
		OperationSettings settings = this.policies.settingsOf(annotation, handler);
		BodyLimits limits = settings
			.over(new BodyLimits(this.settings.maxRequestBody(), this.settings.maxResponseBody(), false));
		ProtectedOperation operation = new ProtectedOperation(annotation.required(),
				keySource(annotation.key(), handler), annotation.fingerprint(), policy, limits, annotation.store(),
				annotation.dryRun(), annotation.effect(), this.answers.stream(method, answer),
				this.answers.mayBeTask(answer), false,
				excluding(settings.fingerprintExcludes(), "The fingerprintExcludes of " + handler));
		return annotation.transactional() ? operation.inTransaction() : operation;
	}

	private static void requireAbsent(boolean absent, String attribute, String handler, String action) {
		if (!absent) {
			throw new IdempotencyConfigurationException(
					"%s asks for %s, which is not for web handlers".formatted(handler, attribute), action);
		}
	}

	/**
	 * How long a request waits while its key is in progress.
	 * @param onConflict what happens to it
	 */
	public Duration patience(OnConflict onConflict) {
		return this.policies.patience(onConflict);
	}

	/**
	 * Where the keys of a handler come from.
	 * @param expression as in {@link Idempotent#key()}
	 * @param handler the handler, for messages
	 * @throws IdempotencyConfigurationException if the expression cannot be used
	 */
	public KeySource keySource(String expression, String handler) {
		if (expression.isEmpty()) {
			return this.defaultKeySource;
		}
		try {
			KeyExpression key = KeyExpression.parse(expression);
			String warning = key.warning();
			if (warning != null) {
				this.logger.warn("The key \"{}\" of {} {}", expression, handler, warning);
			}
			return key;
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException(
					"The key \"%s\" of %s cannot be used: %s".formatted(expression, handler, ex.getMessage()),
					"Write an expression of header('name'), body('/json/pointer'), path('variable'), "
							+ "query('parameter') and derived(), such as join(path('id'), query('version')).");
		}
	}

	/**
	 * Computes fingerprints without some parts of the body.
	 * @param pointers as in {@link Idempotent#fingerprintExcludes()}
	 * @param origin where they are written, for messages
	 * @return {@code null} if there are none
	 * @throws IdempotencyConfigurationException if a pointer cannot be used
	 */
	@Nullable RequestFingerprinter excluding(@Nullable List<String> pointers, String origin) {
		if (pointers == null || pointers.isEmpty()) {
			return null;
		}
		try {
			return this.fingerprinter.excluding(pointers);
		}
		catch (IllegalArgumentException ex) {
			throw new IdempotencyConfigurationException("%s cannot be used: %s".formatted(origin, ex.getMessage()),
					"Write JSON pointers to parts of the body, such as /sentAt or /items/0/id, with ~1 for / and ~0 for "
							+ "~ in a name. To compare none of the body, use fingerprint = false.");
		}
	}

	private static Class<?> answerType(HandlerMethod method) {
		ResolvableType returned = ResolvableType.forMethodParameter(method.getReturnType());
		Class<?> type = returned.toClass();
		return HttpEntity.class.isAssignableFrom(type) ? returned.as(HttpEntity.class).getGeneric().toClass() : type;
	}

	/**
	 * How a handler is protected.
	 *
	 * @param annotatedItself whether the annotation is on the method
	 * @param decided whether an annotation decides about it
	 * @param operation how it is protected, or {@code null} if it is not
	 */
	record Protection(boolean annotatedItself, boolean decided, @Nullable ProtectedOperation operation) {

		/**
		 * Without an annotation, only methods are protected that are not idempotent by
		 * themselves.
		 */
		boolean covers(String method) {
			return this.operation != null && switch (method) {
				case "GET", "HEAD", "OPTIONS", "TRACE" -> false;
				case "POST", "PATCH" -> true;
				default -> this.decided;
			};
		}

	}

}
