package dev.idempotency.store.jdbc;

import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ReflectionUtils;

/**
 * A data source that routes each thread to its target data source.
 */
final class Routing {

	/**
	 * Protected in {@link AbstractRoutingDataSource}.
	 */
	private static final Method TARGET = Objects
		.requireNonNull(ReflectionUtils.findMethod(AbstractRoutingDataSource.class, "determineTargetDataSource"));

	static {
		ReflectionUtils.makeAccessible(TARGET);
	}

	private final AbstractRoutingDataSource dataSource;

	private Routing(AbstractRoutingDataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Finds the routing data source, also behind wrappers.
	 * @return {@code null} if there is none
	 */
	static @Nullable Routing in(DataSource dataSource) {
		try {
			return dataSource.isWrapperFor(AbstractRoutingDataSource.class)
					? new Routing(dataSource.unwrap(AbstractRoutingDataSource.class)) : null;
		}
		catch (SQLException ex) {
			// Not every data source can be unwrapped
			return null;
		}
	}

	/**
	 * The target of the calling thread.
	 * @throws IllegalStateException if it has none
	 */
	DataSource target() {
		DataSource target = (DataSource) Objects.requireNonNull(ReflectionUtils.invokeMethod(TARGET, this.dataSource));
		Routing further = in(target);
		return (further != null) ? further.target() : target;
	}

	/**
	 * All known targets.
	 */
	Set<DataSource> targets() {
		Set<DataSource> targets = new LinkedHashSet<>();
		if (this.dataSource.getResolvedDefaultDataSource() != null) {
			targets.add(this.dataSource.getResolvedDefaultDataSource());
		}
		try {
			targets.addAll(this.dataSource.getResolvedDataSources().values());
		}
		catch (IllegalStateException ex) {
			// A subclass that manages its targets itself
		}
		Set<DataSource> flat = new LinkedHashSet<>();
		for (DataSource target : targets) {
			Routing further = in(target);
			flat.addAll((further != null) ? further.targets() : Set.of(target));
		}
		return flat;
	}

}
