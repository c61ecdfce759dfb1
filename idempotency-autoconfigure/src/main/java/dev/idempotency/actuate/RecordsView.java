package dev.idempotency.actuate;

import java.util.List;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of records, the newest first.
 *
 * @param page its number, from 0
 * @param size how many records a page has at most
 * @param more whether there is a next page
 * @param complete {@code false} if the store has searched only some of its records
 */
record RecordsView(int page, int size, boolean more, boolean complete,
		List<RecordView> records) implements OperationResponseBody {
}
