package dev.idempotency.ai;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

import dev.idempotency.DryRun;
import dev.idempotency.Idempotent;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.StoredAnswers;
import dev.idempotency.call.AnnotationPolicies;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.method.MethodToolCallback;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Reads the annotations of the methods behind tools.
 */
final class ToolMethods {

	/**
	 * How many results of a tool that reads are cached, if only an annotation requests
	 * it.
	 */
	private static final int READ_RESULTS = 1000;

	/**
	 * The field with a tool's method, found by its type, since there is no public
	 * accessor.
	 */
	private static final @Nullable Field METHOD = ReflectionUtils.findField(MethodToolCallback.class, null,
			Method.class);

	private ToolMethods() {
	}

	/**
	 * The annotations of a tool's method.
	 * @return {@code null} if it has none
	 */
	static @Nullable ToolAnnotations annotationsOf(ToolCallback tool) {
		if (!(tool instanceof MethodToolCallback)) {
			return null;
		}
		Method method = methodOf(tool);
		Idempotent idempotent = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
		if (idempotent == null) {
			idempotent = AnnotatedElementUtils.findMergedAnnotation(method.getDeclaringClass(), Idempotent.class);
		}
		SideEffects sideEffects = AnnotatedElementUtils.findMergedAnnotation(method, SideEffects.class);
		return (idempotent != null || sideEffects != null) ? new ToolAnnotations(method, idempotent, sideEffects)
				: null;
	}

	private static Method methodOf(ToolCallback tool) {
		if (METHOD == null) {
			throw new IllegalStateException(
					"This release of Spring AI does not expose the method of a tool, so its annotations are unknown");
		}
		ReflectionUtils.makeAccessible(METHOD);
		Method method = (Method) Objects.requireNonNull(ReflectionUtils.getField(METHOD, tool));
		// Spring AI checks the class of the bean, which is that of a proxy here
		ReflectionUtils.makeAccessible(method);
		return method;
	}

	/**
	 * The annotations of a tool's method.
	 *
	 * @param idempotent how it is protected, or {@code null} if it is not annotated
	 * @param sideEffects its side effects, or {@code null} if it is not annotated
	 */
	record ToolAnnotations(Method method, @Nullable Idempotent idempotent, @Nullable SideEffects sideEffects) {

		/**
		 * Whether it is to be protected as a tool. With a key of its own, it is protected
		 * as a method.
		 */
		boolean asksForProtection() {
			return this.idempotent != null && this.idempotent.enabled() && this.idempotent.key().isEmpty();
		}

		/**
		 * Whether it must not be protected here, since it is protected as a method or
		 * excluded.
		 */
		boolean declinesProtection() {
			return this.idempotent != null && !asksForProtection();
		}

		/**
		 * Whether it only reads, and is not {@code @Idempotent}. Then only the loop guard
		 * applies.
		 */
		boolean onlyReads() {
			return this.idempotent == null && tags().contains(SideEffect.READ);
		}

		ToolOptions over(ToolOptions options, AnnotationPolicies policies) {
			ToolOptions result = options;
			if (this.sideEffects != null) {
				result = tagged(result, this.sideEffects);
			}
			if (this.idempotent != null && asksForProtection()) {
				result = protectedBy(result, this.idempotent, policies);
			}
			return result;
		}

		private ToolOptions tagged(ToolOptions options, SideEffects tags) {
			try {
				return options.withSideEffects(tags.value());
			}
			catch (IllegalArgumentException ex) {
				throw new IdempotencyConfigurationException("%s: %s".formatted(this.method, ex.getMessage()),
						"Leave READ out, or the others.");
			}
		}

		private ToolOptions protectedBy(ToolOptions options, Idempotent annotation, AnnotationPolicies policies) {
			requireForTools(annotation);
			ToolOptions result = options.withOnConflict(annotation.onConflict())
				.withOnCrash(annotation.onCrash())
				.withEffect(annotation.effect());
			Duration ttl = annotation.ttl().isEmpty() ? null
					: policies.policyOf(annotation, this.method.toString()).ttl();
			if (!options.sideEffects().contains(SideEffect.READ)) {
				return (ttl != null) ? result.withTtl(ttl) : result;
			}
			if (ttl == null) {
				throw new IdempotencyConfigurationException(
						"%s reads, and is @Idempotent without a ttl: it is unknown how long its results stay valid"
							.formatted(this.method),
						"Write a short one, such as @Idempotent(ttl = \"1m\"), or leave @Idempotent out.");
			}
			return result.withReadCache(ttl, READ_RESULTS);
		}

		private void requireForTools(Idempotent annotation) {
			boolean forOthers = !annotation.required() || !annotation.fingerprint() || annotation.transactional()
					|| annotation.dryRun() != DryRun.REPORT || annotation.store() != StoredAnswers.BY_POLICY
					|| annotation.storeExceptions().length > 0 || annotation.unknownOn().length > 0
					|| !annotation.verify().isEmpty() || !annotation.lease().isEmpty()
					|| !annotation.waitTimeout().isEmpty() || !annotation.maxReplays().isEmpty()
					|| !annotation.maxRequestBody().isEmpty() || !annotation.maxResponseBody().isEmpty()
					|| annotation.fingerprintExcludes().length > 0 || annotation.storeEvents();
			if (forOthers) {
				throw new IdempotencyConfigurationException(
						"%s is a tool and @Idempotent without a key, and asks for more than ttl, onConflict, onCrash and effect"
							.formatted(this.method),
						"Leave the rest out, or write a key over its arguments, such as key = \"#orderId\": then it is "
								+ "protected as a method, in all sessions at once. lease, wait-timeout and max-replays of a "
								+ "tool can be set by the name of its operation, such as \"tool refund\".");
			}
		}

		Set<SideEffect> tags() {
			return (this.sideEffects != null) ? Set.of(this.sideEffects.value()) : Set.of();
		}

	}

}
