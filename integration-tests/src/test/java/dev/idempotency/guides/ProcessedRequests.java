package dev.idempotency.guides;

import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * A home-made table of keys.
 */
@Repository
class ProcessedRequests {

	private final JdbcClient jdbc;

	ProcessedRequests(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	Optional<String> find(String key) {
		return this.jdbc.sql("select response from processed_requests where request_key = ?")
			.param(key)
			.query(String.class)
			.optional();
	}

	void save(String key, String response) {
		this.jdbc.sql("insert into processed_requests (request_key, response) values (?, ?)")
			.params(key, response)
			.update();
	}

}
