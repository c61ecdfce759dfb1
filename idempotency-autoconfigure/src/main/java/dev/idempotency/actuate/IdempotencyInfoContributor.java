package dev.idempotency.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.idempotency.Idempotency;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.OperationPolicy;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Says which release protects the application, and how.
 */
public final class IdempotencyInfoContributor implements InfoContributor {

	private final Map<String, Object> details = new LinkedHashMap<>();

	/**
	 * Create the contributor.
	 * @param store what remembers, for people
	 * @param settings what holds for every operation
	 * @param policy what holds for operations that say nothing else
	 */
	public IdempotencyInfoContributor(String store, EngineSettings settings, OperationPolicy policy) {
		String version = Idempotency.class.getPackage().getImplementationVersion();
		if (version != null) {
			this.details.put("version", version);
		}
		this.details.put("store", store);
		this.details.put("namespace", settings.namespace());
		this.details.put("mode", settings.mode());
		this.details.put("onStoreFailure", settings.onStoreFailure());
		this.details.put("ttl", policy.ttl().toString());
		this.details.put("lease", policy.lease().toString());
		this.details.put("maxReplays", policy.maxReplays());
	}

	@Override
	public void contribute(Info.Builder builder) {
		builder.withDetail("idempotency", this.details);
	}

}
