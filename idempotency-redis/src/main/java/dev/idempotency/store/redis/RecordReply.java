package dev.idempotency.store.redis;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordId;

/**
 * The reply of a script about one record: a claim is granted, or the record itself. A
 * completed record is sent as it is. Any other begins with a letter, which no format
 * begins with, and further data.
 */
final class RecordReply {

	private static final byte GRANTED = 'G';

	/**
	 * In progress, with its age.
	 */
	private static final byte RUNNING = 'R';

	/**
	 * With its dates: the server's time, and the expiry of the record.
	 */
	private static final byte DATED = 'D';

	/**
	 * In a format that the scripts do not know.
	 */
	private static final byte OTHER = 'O';

	private static final int TIME_BYTES = 6;

	private final byte[] bytes;

	RecordReply(byte[] bytes) {
		if (bytes.length == 0) {
			throw new IdempotencyStoreException("Redis returned no reply", null);
		}
		this.bytes = bytes;
	}

	boolean isGranted() {
		return this.bytes[0] == GRANTED;
	}

	/**
	 * The number of the granted attempt.
	 */
	int attempt() {
		return (int) PackedRecord.number(this.bytes, 1, 2);
	}

	IdempotencyRecord toRecord() {
		return record().toRecord(age());
	}

	Inspection toInspection(RecordId id) {
		PackedRecord record = record();
		return new Inspection(record.toSummary(id, now(), expires()), record.fingerprint(),
				record.isCompleted() ? record.result() : null);
	}

	private PackedRecord record() {
		return PackedRecord.read(this.bytes, switch (this.bytes[0]) {
			case RUNNING -> 1 + TIME_BYTES;
			case DATED -> 1 + 2 * TIME_BYTES;
			case OTHER -> 1;
			default -> 0;
		});
	}

	/**
	 * The age of a record in progress. It does not matter for a completed record.
	 */
	private long age() {
		return (this.bytes[0] == RUNNING) ? PackedRecord.number(this.bytes, 1, TIME_BYTES) : 0;
	}

	private long now() {
		return (this.bytes[0] == DATED) ? PackedRecord.number(this.bytes, 1, TIME_BYTES) : 0;
	}

	private long expires() {
		return (this.bytes[0] == DATED) ? PackedRecord.number(this.bytes, 1 + TIME_BYTES, TIME_BYTES) : 0;
	}

}
