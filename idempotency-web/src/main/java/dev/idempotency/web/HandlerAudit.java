package dev.idempotency.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.idempotency.Explanation;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.KnownOperation.Kind;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.HttpSettings.Unprotected;
import dev.idempotency.http.KeyExpression;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.web.ProtectedOperations.Protection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Looks at every handler at start-up: what cannot work stops it, and what looks like a
 * mistake is named.
 */
final class HandlerAudit {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyInterceptor.class);

	private static final Set<RequestMethod> UNSAFE = Set.of(RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH,
			RequestMethod.DELETE);

	private final HttpSettings settings;

	private final ProtectedOperations operations;

	private final IdempotencyGate gate;

	private final boolean comparesRequests;

	HandlerAudit(HttpSettings settings, ProtectedOperations operations, IdempotencyGate gate,
			boolean comparesRequests) {
		this.settings = settings;
		this.operations = operations;
		this.gate = gate;
		this.comparesRequests = comparesRequests;
	}

	/**
	 * Looks at every handler.
	 * @return what the unsafe ones do
	 */
	List<KnownOperation> check(Collection<RequestMappingHandlerMapping> mappings) {
		List<KnownOperation> found = new ArrayList<>();
		for (RequestMappingHandlerMapping mapping : mappings) {
			mapping.getHandlerMethods().forEach((info, handler) -> {
				check(info, handler);
				found.addAll(unsafeOperations(info, handler));
			});
		}
		OperationsReport report = new OperationsReport(found);
		report(report.find(Kind.HTTP, Coverage.UNPROTECTED));
		return report.operations();
	}

	private void check(RequestMappingInfo info, HandlerMethod handler) {
		Protection protection = this.operations.protectionOf(handler);
		if (protection.operation() != null && protection.operation().keySource() instanceof KeyExpression key) {
			check(key, info, handler);
		}
		if (protection.operation() != null) {
			this.gate.requireTransactions(protection.operation(), handler);
		}
		Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
		if (protection.annotatedItself() && protection.operation() != null && !methods.isEmpty()
				&& methods.stream().noneMatch(UNSAFE::contains)) {
			logger.warn("@Idempotent on {} does nothing: requests of {} are safe to repeat as they are", handler,
					methods);
		}
	}

	/**
	 * What a handler does that a retry would repeat: an operation for each method and
	 * route, since keys are remembered by these.
	 */
	private List<KnownOperation> unsafeOperations(RequestMappingInfo info, HandlerMethod handler) {
		Protection protection = this.operations.protectionOf(handler);
		if (!protection.decided() && ProtectedOperations.isInfrastructure(handler)) {
			return List.of();
		}
		Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
		List<KnownOperation> found = new ArrayList<>();
		for (RequestMethod method : methods.isEmpty() ? UNSAFE : methods) {
			if (UNSAFE.contains(method)) {
				ProtectedOperation operation = this.operations.find(handler, method.name());
				Coverage coverage = (operation != null) ? Coverage.PROTECTED
						: protection.decided() ? Coverage.EXCLUDED : Coverage.UNPROTECTED;
				for (String pattern : info.getPatternValues()) {
					String name = OperationNames.name(method.name(), pattern);
					found.add(new KnownOperation(name, Kind.HTTP, handler.getShortLogMessage(), coverage,
							(operation != null) ? this.operations.named(operation, name).forPeople() : null));
				}
			}
		}
		return found;
	}

	private void check(KeyExpression key, RequestMappingInfo info, HandlerMethod handler) {
		if (key.isDerived() && !this.comparesRequests) {
			throw new IdempotencyConfigurationException(
					Explanation.of("%s derives its key from the request, and %s is none", handler,
							WebSetting.FINGERPRINT),
					Explanation.of("Set %s to canonical-json or bytes, or take the key from elsewhere.",
							WebSetting.FINGERPRINT));
		}
		for (String pattern : info.getPatternValues()) {
			for (String variable : key.pathVariables()) {
				if (!pattern.contains("{" + variable + "}") && !pattern.contains("{" + variable + ":")
						&& !pattern.contains("{*" + variable + "}")) {
					throw new IdempotencyConfigurationException(
							"The key of %s is made of path('%s'), and its route %s has no such variable"
								.formatted(handler, variable, pattern),
							"Name a variable of the route.");
				}
			}
		}
	}

	private void report(List<KnownOperation> unprotected) {
		if (unprotected.isEmpty()) {
			return;
		}
		String list = unprotected.stream()
			.map((operation) -> "%s (%s)".formatted(operation.name(), operation.handler()))
			.collect(Collectors.joining(System.lineSeparator() + "  - "));
		if (this.settings.unprotected() == Unprotected.FAIL) {
			throw new IdempotencyConfigurationException(Explanation
				.of("These handlers change something, and nothing protects them from being repeated:%n  - %s", list),
					Explanation.of("Write @Idempotent on each, or @Idempotent(enabled = false) on those that need no "
							+ "protection, or set %s to warn or ignore.", WebSetting.UNPROTECTED));
		}
		if (this.settings.unprotected() == Unprotected.WARN) {
			logger.warn("Nothing protects these handlers from being repeated:{}  - {}", System.lineSeparator(), list);
		}
	}

}
