package dev.idempotency.sample;

import java.util.List;

/**
 * The page as it starts from a fresh clone: on a database in a file.
 */
class SamplePageTests extends SamplePageContract {

	@Override
	List<String> startServer() {
		return List.of();
	}

}
