package dev.idempotency.http;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.KnownOperation.Kind;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.http.HttpSettings.Unprotected;
import dev.idempotency.http.ProtectedOperations.Protection;
import org.slf4j.Logger;

import org.springframework.web.method.HandlerMethod;

/**
 * Checks every handler at startup. One that cannot work fails the startup, and one that
 * looks like a mistake is logged.
 */
final class HandlerAudit {

	private static final Set<String> UNSAFE = Set.of("POST", "PUT", "PATCH", "DELETE");

	private final HttpSettings settings;

	private final ProtectedOperations operations;

	private final BiConsumer<ProtectedOperation, HandlerMethod> requirement;

	private final boolean comparesRequests;

	private final Logger logger;

	/**
	 * Create an audit.
	 * @param requirement fails if an operation cannot run as configured
	 */
	HandlerAudit(HttpSettings settings, ProtectedOperations operations,
			BiConsumer<ProtectedOperation, HandlerMethod> requirement, boolean comparesRequests, Logger logger) {
		this.settings = settings;
		this.operations = operations;
		this.requirement = requirement;
		this.comparesRequests = comparesRequests;
		this.logger = logger;
	}

	/**
	 * Checks every handler.
	 * @return the operations of the unsafe ones
	 */
	List<KnownOperation> check(Collection<Route> routes) {
		List<KnownOperation> found = new ArrayList<>();
		for (Route route : routes) {
			check(route, route.handler());
			found.addAll(unsafeOperations(route, route.handler()));
		}
		OperationsReport report = new OperationsReport(found);
		report(report.find(Kind.HTTP, Coverage.UNPROTECTED));
		return report.operations();
	}

	private void check(Route route, HandlerMethod handler) {
		Protection protection = this.operations.protectionOf(handler);
		if (protection.operation() != null && protection.operation().keySource() instanceof KeyExpression key) {
			check(key, route, handler);
		}
		if (protection.operation() != null) {
			this.requirement.accept(protection.operation(), handler);
		}
		Set<String> methods = route.methods();
		if (protection.annotatedItself() && protection.operation() != null && !methods.isEmpty()
				&& methods.stream().noneMatch(UNSAFE::contains)) {
			this.logger.warn("@Idempotent on {} does nothing: requests of {} are safe to repeat as they are", handler,
					methods);
		}
	}

	/**
	 * The operations of a handler that a retry would repeat: one for each method and
	 * route, since keys belong to these.
	 */
	private List<KnownOperation> unsafeOperations(Route route, HandlerMethod handler) {
		Protection protection = this.operations.protectionOf(handler);
		if (!protection.decided() && ProtectedOperations.isInfrastructure(handler)) {
			return List.of();
		}
		Set<String> methods = route.methods();
		List<KnownOperation> found = new ArrayList<>();
		for (String method : methods.isEmpty() ? UNSAFE : methods) {
			if (UNSAFE.contains(method)) {
				ProtectedOperation operation = this.operations.find(handler, method);
				Coverage coverage = (operation != null) ? Coverage.PROTECTED
						: protection.decided() ? Coverage.EXCLUDED : Coverage.UNPROTECTED;
				for (String pattern : route.patterns()) {
					String name = OperationNames.name(method, pattern);
					ProtectedOperation named = (operation != null) ? this.operations.named(operation, name) : null;
					if (named != null) {
						named.requireUsedFingerprint("%s (%s)".formatted(name, handler));
					}
					found.add(new KnownOperation(name, Kind.HTTP, handler.getShortLogMessage(), coverage,
							(named != null) ? named.forPeople() : null));
				}
			}
		}
		return found;
	}

	private void check(KeyExpression key, Route route, HandlerMethod handler) {
		if (key.isDerived() && !this.comparesRequests) {
			throw new IdempotencyConfigurationException(
					"%s derives its key from the request, but idempotency.http.fingerprint is none".formatted(handler),
					"Set idempotency.http.fingerprint to canonical-json or bytes, or take the key from elsewhere.");
		}
		for (String pattern : route.patterns()) {
			for (String variable : key.pathVariables()) {
				if (!pattern.contains("{" + variable + "}") && !pattern.contains("{" + variable + ":")
						&& !pattern.contains("{*" + variable + "}")) {
					throw new IdempotencyConfigurationException(
							"The key of %s is made of path('%s'), but its route %s has no such variable"
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
			throw new IdempotencyConfigurationException(
					"The following unsafe handlers are not protected:%n  - %s".formatted(list),
					"Write @Idempotent on each, or @Idempotent(enabled = false) on those that need no "
							+ "protection, or set idempotency.http.unprotected to warn or ignore.");
		}
		if (this.settings.unprotected() == Unprotected.WARN) {
			this.logger.warn("The following unsafe handlers are not protected:{}  - {}", System.lineSeparator(), list);
		}
	}

}
