package dev.idempotency.torture.ledger;

import java.util.HashMap;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * A database for each tenant. A caller belongs to one of them.
 */
@ConditionalOnProperty(Tenants.SETTING)
class Tenants extends AbstractRoutingDataSource {

	static final String SETTING = "torture.tenants";

	static final ThreadLocal<@Nullable String> CALLER = new ThreadLocal<>();

	private final Map<Object, Object> pools = new HashMap<>();

	Tenants(Environment environment) {
		for (String url : environment.getRequiredProperty(SETTING, String[].class)) {
			HikariDataSource pool = new HikariDataSource();
			Binder.get(environment).bind("spring.datasource.hikari", Bindable.ofInstance(pool));
			pool.setJdbcUrl(url);
			this.pools.put(this.pools.size(), pool);
		}
		setTargetDataSources(this.pools);
	}

	@Override
	protected @Nullable Object determineCurrentLookupKey() {
		String caller = CALLER.get();
		return (caller != null) ? Math.floorMod(caller.hashCode(), this.pools.size()) : null;
	}

}
