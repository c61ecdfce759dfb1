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
 * A data source that leads each thread to a data source of its own.
 */
final class Routing {

	/**
	 * Which it is for a thread, it tells subclasses alone.
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
	 * What routes in a data source, or inside of what is wrapped around it.
	 * @return {@code null} if nothing does
	 */
	static @Nullable Routing in(DataSource dataSource) {
		try {
			return dataSource.isWrapperFor(AbstractRoutingDataSource.class)
					? new Routing(dataSource.unwrap(AbstractRoutingDataSource.class)) : null;
		}
		catch (SQLException ex) {
			// Not every data source says what is inside of it
			return null;
		}
	}

	/**
	 * Where the calling thread is led.
	 * @throws IllegalStateException if it is led nowhere
	 */
	DataSource target() {
		DataSource target = (DataSource) Objects.requireNonNull(ReflectionUtils.invokeMethod(TARGET, this.dataSource));
		Routing further = in(target);
		return (further != null) ? further.target() : target;
	}

	/**
	 * Where threads can be led, as far as it is known.
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
			// It knows its targets in a way of its own
		}
		Set<DataSource> flat = new LinkedHashSet<>();
		for (DataSource target : targets) {
			Routing further = in(target);
			flat.addAll((further != null) ? further.targets() : Set.of(target));
		}
		return flat;
	}

}
