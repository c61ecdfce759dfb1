package dev.idempotency.store.jdbc;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * Provides the data source for renewals. A pool that handlers share does not suit:
 * handlers that hold all of its connections for longer than a lease would lose their
 * claims.
 */
@FunctionalInterface
public interface RenewalDataSources {

	/**
	 * Returns another data source for the same database. At most one of its connections
	 * is used at a time. A store calls this once for each of its databases, so that the
	 * returned one should follow if credentials or the address change.
	 * @param dataSource the data source for everything else
	 * @return the data source for renewals, closed with the store if it can be closed;
	 * {@code null} to use the same one as everything else
	 */
	@Nullable DataSource beside(DataSource dataSource);

	/**
	 * For data sources that are not pools and always have another connection.
	 * @return no extra data sources
	 */
	static RenewalDataSources none() {
		return (dataSource) -> null;
	}

}
