package dev.idempotency.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.idempotency.Idempotency;
import dev.idempotency.core.OperationPolicy;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Shows the version of the library and how long results are remembered. The info endpoint
 * is public in many applications, so all else stays in the endpoint {@code idempotency}.
 */
public final class IdempotencyInfoContributor implements InfoContributor {

	private final Map<String, Object> details = new LinkedHashMap<>();

	/**
	 * Create the contributor.
	 * @param policy the policy of operations without settings of their own
	 */
	public IdempotencyInfoContributor(OperationPolicy policy) {
		String version = Idempotency.class.getPackage().getImplementationVersion();
		if (version != null) {
			this.details.put("version", version);
		}
		this.details.put("ttl", policy.ttl().toString());
	}

	@Override
	public void contribute(Info.Builder builder) {
		builder.withDetail("idempotency", this.details);
	}

}
