package dev.idempotency.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.idempotency.Idempotency;
import dev.idempotency.core.OperationPolicy;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Says which release protects the application, and how long results are remembered: what
 * clients may know. The info endpoint is open to everyone in many applications, so that
 * all else stays in the endpoint {@code idempotency}.
 */
public final class IdempotencyInfoContributor implements InfoContributor {

	private final Map<String, Object> details = new LinkedHashMap<>();

	/**
	 * Create the contributor.
	 * @param policy what holds for operations that say nothing else
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
