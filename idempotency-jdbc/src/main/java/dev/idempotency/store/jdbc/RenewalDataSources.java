package dev.idempotency.store.jdbc;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * Knows where renewals get their connection from. A pool is not the place: handlers that
 * hold all of its connections for longer than a lease would lose their claims by it.
 */
@FunctionalInterface
public interface RenewalDataSources {

	/**
	 * Another way to the same database, of which at most one connection is used at a
	 * time. A store calls this once for each of its databases.
	 * @param dataSource where all else gets its connections from
	 * @return where renewals get theirs from, closed with the store if it can be closed;
	 * {@code null} to have them from the same place as all else
	 */
	@Nullable DataSource beside(DataSource dataSource);

	/**
	 * For data sources that always have another connection, since they are no pools.
	 * @return data sources without others beside them
	 */
	static RenewalDataSources none() {
		return (dataSource) -> null;
	}

}
