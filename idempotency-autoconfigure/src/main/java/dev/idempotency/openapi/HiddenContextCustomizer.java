package dev.idempotency.openapi;

import dev.idempotency.IdempotencyContext;
import io.swagger.v3.oas.models.Operation;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springdoc.core.utils.SpringDocUtils;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.web.method.HandlerMethod;

/**
 * Hides the {@link IdempotencyContext} of handlers from the document: clients do not send
 * it.
 */
public final class HiddenContextCustomizer implements GlobalOperationCustomizer {

	static {
		SpringDocUtils.getConfig().addRequestWrapperToIgnore(IdempotencyContext.class);
	}

	private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

	@Override
	public Operation customize(Operation operation, HandlerMethod handler) {
		if (operation.getParameters() != null) {
			for (MethodParameter parameter : handler.getMethodParameters()) {
				// springdoc does not look into an Optional
				if (parameter.nestedIfOptional().getNestedParameterType() == IdempotencyContext.class) {
					parameter.initParameterNameDiscovery(this.names);
					String name = parameter.getParameterName();
					operation.getParameters().removeIf((it) -> name != null && name.equals(it.getName()));
				}
			}
		}
		return operation;
	}

}
