package dev.idempotency.http;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.OperationCatalog;
import org.slf4j.Logger;

import org.springframework.web.method.HandlerMethod;

/**
 * The handlers of an application, described for operators and clients.
 */
public final class ProtectedHandlers implements OperationCatalog {

	private final HttpSettings settings;

	private final EngineSettings engineSettings;

	private final ProtectedOperations operations;

	private final HttpStrategies strategies;

	private volatile List<KnownOperation> known = List.of();

	/**
	 * Create the catalog.
	 * @param settings how requests are protected
	 * @param engineSettings how operations are protected
	 * @param operations how each handler is protected
	 * @param strategies the strategies of the application
	 */
	public ProtectedHandlers(HttpSettings settings, EngineSettings engineSettings, ProtectedOperations operations,
			HttpStrategies strategies) {
		this.settings = settings;
		this.engineSettings = engineSettings;
		this.operations = operations;
		this.strategies = strategies;
	}

	/**
	 * Checks every handler as the settings say, and catalogs those of unsafe methods.
	 * @param requirement fails if an operation cannot run as configured
	 * @param logger the log of the edge
	 * @throws IdempotencyConfigurationException if one cannot work, or is not protected
	 * and should be
	 */
	public void check(Collection<Route> routes, BiConsumer<ProtectedOperation, HandlerMethod> requirement,
			Logger logger) {
		this.known = new HandlerAudit(this.settings, this.operations, requirement, this.strategies.comparesRequests(),
				logger)
			.check(routes);
	}

	/**
	 * Whether requests with a method are protected, wherever they go.
	 * @param handler their handler
	 */
	public boolean isProtected(HandlerMethod handler, String method) {
		return this.operations.find(handler, method) != null;
	}

	/**
	 * What clients need to know about a handler.
	 * @param method the method with which they call it
	 * @param path the path of its route, with or without the expressions of its variables
	 * @return what they need to know, if it is protected
	 */
	public Optional<ClientContract> contractOf(HandlerMethod handler, String method, String path) {
		String documented = OperationNames.name(method, path);
		String name = this.known.stream()
			.map(KnownOperation::name)
			.filter((it) -> ClientContract.withoutExpressions(it).equals(documented))
			.findFirst()
			.orElse(documented);
		return Optional.ofNullable(this.operations.find(handler, method))
			.map((operation) -> ClientContract.of(this.operations.named(operation, name), this.engineSettings,
					this.strategies));
	}

	/**
	 * How requests are protected.
	 */
	public HttpSettings settings() {
		return this.settings;
	}

	@Override
	public List<KnownOperation> operations() {
		return this.known;
	}

}
