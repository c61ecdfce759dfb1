package dev.idempotency.openapi;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.idempotency.core.KnownOperation.Protection;
import dev.idempotency.http.ClientContract;
import dev.idempotency.http.ProtectedHandlers;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.ExternalDocumentation;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;

import org.springframework.web.method.HandlerMethod;

/**
 * Adds idempotency keys to the OpenAPI document: the header to send, the responses to
 * refused requests, and how long a response is remembered.
 * <p>
 * springdoc knows the handler of an operation first and its HTTP method later, so there
 * are two passes.
 */
public final class IdempotencyOpenApiCustomizer implements GlobalOperationCustomizer, GlobalOpenApiCustomizer {

	private static final String EXTENSION = "x-idempotency";

	private final ProtectedHandlers handlers;

	private final Answers answers;

	/**
	 * Create a customizer.
	 * @param handlers knows how handlers are protected
	 */
	public IdempotencyOpenApiCustomizer(ProtectedHandlers handlers) {
		this.handlers = handlers;
		this.answers = new Answers(handlers.settings().problemBase(), handlers.settings().expires());
	}

	@Override
	public Operation customize(Operation operation, HandlerMethod handler) {
		if (this.handlers.isProtected(handler, "POST")) {
			operation.addExtension(EXTENSION, handler);
		}
		return operation;
	}

	@Override
	public void customise(OpenAPI openApi) {
		if (openApi.getPaths() != null) {
			openApi.getPaths()
				.forEach((path, item) -> item.readOperationsMap()
					.forEach((method, operation) -> complete(openApi, method.name(), path, operation)));
		}
	}

	private void complete(OpenAPI openApi, String method, String path, Operation operation) {
		Map<String, Object> extensions = operation.getExtensions();
		if (extensions == null || !(extensions.get(EXTENSION) instanceof HandlerMethod handler)) {
			return;
		}
		Optional<ClientContract> contract = this.handlers.contractOf(handler, method, path);
		if (contract.isPresent()) {
			extensions.put(EXTENSION, summary(contract.get()));
			describe(operation, contract.get(), components(openApi));
		}
		else {
			extensions.remove(EXTENSION);
		}
	}

	private static Components components(OpenAPI openApi) {
		if (openApi.getComponents() == null) {
			openApi.setComponents(new Components());
		}
		return openApi.getComponents();
	}

	private static Map<String, Object> summary(ClientContract contract) {
		Protection protection = contract.protection();
		Map<String, Object> summary = new LinkedHashMap<>();
		summary.put("key", protection.keySource());
		summary.put("required", protection.keyRequired());
		summary.put("ttl", protection.policy().ttl().toString());
		summary.put("onConflict", protection.policy().patience().isZero() ? "reject" : "wait");
		summary.put("onCrash", protection.policy().onCrash().name().toLowerCase(Locale.ROOT));
		summary.put("fingerprint", contract.fingerprinted());
		return summary;
	}

	private void describe(Operation operation, ClientContract contract, Components components) {
		RequestHeaders.describe(operation, contract);
		ApiResponses documented = (operation.getResponses() != null) ? operation.getResponses() : new ApiResponses();
		documented.replaceAll((code, answer) -> isResult(code)
				? this.answers.withResultHeaders(answer, contract, components) : answer);
		this.answers.refusals(contract, documented, components);
		operation.setResponses(documented);
		URI documentation = this.handlers.settings().documentationUrl();
		if (documentation != null && operation.getExternalDocs() == null) {
			operation.setExternalDocs(
					new ExternalDocumentation().url(documentation.toString()).description("About idempotency keys"));
		}
	}

	private static boolean isResult(String code) {
		return code.startsWith("2") || code.startsWith("3") || code.equals("default");
	}

}
