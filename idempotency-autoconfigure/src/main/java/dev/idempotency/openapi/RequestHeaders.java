package dev.idempotency.openapi;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

import dev.idempotency.DryRun;
import dev.idempotency.http.ClientContract;
import dev.idempotency.http.ClientContract.KeyField;
import dev.idempotency.http.DryRunHeader;
import dev.idempotency.http.KeyHeader;
import dev.idempotency.http.KeySyntax;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;

/**
 * Documents the headers that clients send.
 */
final class RequestHeaders {

	private static final List<ChronoUnit> UNITS = List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES,
			ChronoUnit.SECONDS, ChronoUnit.MILLIS);

	private static final String VISIBLE_ASCII = "^[!-~]+$";

	private static final String QUOTED_VISIBLE_ASCII = "^\"([!#-\\[\\]-~]|\\\\[\"\\\\])+\"$";

	private RequestHeaders() {
	}

	static void describe(Operation operation, ClientContract contract) {
		boolean required = contract.enforced() && contract.protection().keyRequired();
		for (KeyField header : contract.keyHeaders()) {
			Parameter parameter = parameter(operation, header.name());
			parameter.setRequired(required || Boolean.TRUE.equals(parameter.getRequired()));
			if (parameter.getDescription() == null) {
				parameter.setDescription(description(header, contract));
			}
			if (parameter.getSchema() == null || header.syntax() != null) {
				parameter.setSchema(schema(header, hasTime(contract)));
			}
		}
		if (contract.keyTime() != null && contract.keyTime().header() != null) {
			Parameter time = parameter(operation, contract.keyTime().header());
			time.setRequired(required || Boolean.TRUE.equals(time.getRequired()));
			if (time.getDescription() == null) {
				time.setDescription(contract.keyTime().advice());
				time.setSchema(new StringSchema().example("Tue, 09 Jun 2026 08:00:00 GMT"));
			}
		}
		Parameter dryRun = parameter(operation, DryRunHeader.NAME);
		if (dryRun.getDescription() == null) {
			dryRun.setRequired(false);
			dryRun.setDescription("Reports what would happen. " + ((contract.dryRun() == DryRun.ROLLBACK)
					? "The request runs and is rolled back." : "Nothing runs, and the response is 200 with a report."));
			dryRun.setSchema(new StringSchema()._enum(List.of("?1", "true")));
		}
	}

	/**
	 * Whether the key itself tells when it was first sent.
	 */
	private static boolean hasTime(ClientContract contract) {
		return contract.keyTime() != null && contract.keyTime().header() == null;
	}

	/**
	 * Returns the parameter, which exists already if the handler reads the header itself.
	 */
	private static Parameter parameter(Operation operation, String name) {
		if (operation.getParameters() != null) {
			for (Parameter parameter : operation.getParameters()) {
				if ("header".equals(parameter.getIn()) && name.equalsIgnoreCase(parameter.getName())) {
					return parameter;
				}
			}
		}
		Parameter added = new HeaderParameter().name(name);
		operation.addParametersItem(added);
		return added;
	}

	private static Schema<?> schema(KeyField header, boolean hasTime) {
		String example = hasTime ? "017f22e2-79b0-7cc3-98c4-dc0c0c07398f" : "8e03978e-40d5-43e8-bc93-6894a57f9324";
		StringSchema schema = new StringSchema();
		schema.setMinLength(1);
		if (header.syntax() == KeySyntax.LENIENT) {
			schema.setMaxLength(KeyHeader.MAX_LENGTH);
			schema.setPattern(VISIBLE_ASCII);
			schema.setExample(example);
		}
		if (header.syntax() == KeySyntax.STRICT) {
			schema.setMinLength(3);
			// All characters escaped, in quotes
			schema.setMaxLength(2 * KeyHeader.MAX_LENGTH + 2);
			schema.setPattern(QUOTED_VISIBLE_ASCII);
			schema.setExample("\"%s\"".formatted(example));
		}
		return schema;
	}

	private static String description(KeyField header, ClientContract contract) {
		StringBuilder text = new StringBuilder("Makes the request safe to retry: ");
		if (header.syntax() == null) {
			text.append("a request with the same value is a retry. ");
		}
		else {
			text.append("send a new key, %s, with each new request, and the same one with its retries. "
				.formatted(hasTime(contract) ? "a UUID of version 7 or a ULID" : "such as a random UUID"))
				.append("1 to %d characters of visible ASCII, ".formatted(KeyHeader.MAX_LENGTH))
				.append((header.syntax() == KeySyntax.STRICT) ? "in double quotes (a structured-field string). "
						: "bare or in double quotes (a structured-field string). ");
		}
		text.append("The response is remembered for %s.".formatted(words(contract.protection().policy().ttl())));
		if (contract.keyTime() != null) {
			text.append(" After that, the key is refused.");
		}
		if (!contract.protection().keyRequired()) {
			text.append(" Without it, the request runs unprotected.");
		}
		return text.toString();
	}

	private static String words(Duration duration) {
		ChronoUnit unit = UNITS.stream()
			// 24 hours, not one day
			.filter((it) -> it != ChronoUnit.DAYS || duration.toDays() > 1)
			.filter((it) -> duration.toMillis() % it.getDuration().toMillis() == 0)
			.findFirst()
			.orElse(ChronoUnit.MILLIS);
		long number = duration.toMillis() / unit.getDuration().toMillis();
		String plural = unit.name().toLowerCase(Locale.ROOT);
		return number + " " + ((number == 1) ? plural.substring(0, plural.length() - 1) : plural);
	}

}
