package dev.idempotency.store.memory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryRecordsTests {

	private static final Duration TTL = Duration.ofHours(1);

	private static final UUID OWNER = new UUID(1, 1);

	private Instant now = Instant.parse("2026-01-01T00:00:00Z");

	private final List<IdempotencyKey> evicted = new ArrayList<>();

	private final MemoryRecords records = new MemoryRecords(new MemoryLimits(5000, 64 << 20), new Clock() {

		@Override
		public ZoneOffset getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			return this;
		}

		@Override
		public Instant instant() {
			return MemoryRecordsTests.this.now;
		}

	}, this.evicted::add);

	@Test
	void aRecordThatIsOverIsPassedOver() {
		begin("over");
		this.now = this.now.plus(TTL.minusMillis(1));
		assertThat(seen()).containsExactly(key("over"));
		this.now = this.now.plusMillis(1);
		assertThat(seen()).isEmpty();
	}

	@Test
	void dropsKeysInProgressThatAreOverThoughNobodyAsksForThem() {
		for (int i = 0; i < 2 * MemoryRecords.IN_PROGRESS_UNSUSPICIOUS; i++) {
			begin("over " + i);
		}
		this.now = this.now.plus(TTL);
		for (int i = 0; i < MemoryRecords.CLAIMS_BETWEEN_SWEEPS; i++) {
			complete("done " + i);
		}
		assertThat(this.records.size()).isEqualTo(5000);
		assertThat(this.evicted).hasSize(MemoryRecords.CLAIMS_BETWEEN_SWEEPS - 5000);
	}

	@Test
	void dropsResultsThatAreOverWhileOthersAreCompleted() {
		for (int i = 0; i < 4000; i++) {
			complete("over " + i);
		}
		this.now = this.now.plus(TTL).plusSeconds(2);
		for (int i = 0; i < 500; i++) {
			complete("done " + i);
		}
		assertThat(this.records.size()).isEqualTo(500);
		assertThat(this.evicted).isEmpty();
	}

	@Test
	void aResultThatWasExtendedIsDroppedAtItsNewEnd() {
		MemoryRecord extended = complete("extended");
		complete("over");
		this.now = this.now.plus(TTL.dividedBy(2));
		assertThat(extended.claim(new UUID(2, 2), Fingerprint.none(), terms(OnReplay.EXTEND), this.now.toEpochMilli()))
			.isNotNull();
		this.now = this.now.plus(TTL.dividedBy(2)).plusSeconds(2);
		complete("other");
		assertThat(this.records.size()).isEqualTo(2);
		this.now = this.now.plus(TTL.dividedBy(2));
		complete("another");
		assertThat(seen()).containsExactlyInAnyOrder(key("other"), key("another"));
		assertThat(this.records.size()).isEqualTo(2);
	}

	@Test
	void whatIsForgottenLeavesRoomAndNoTrace() {
		for (int i = 0; i < 20_000; i++) {
			assertThat(this.records.forget(complete("forgotten " + i))).isTrue();
			complete("kept " + i % 100);
		}
		assertThat(this.records.size()).isEqualTo(100);
		assertThat(this.records.filed()).isEqualTo(100);
		assertThat(this.evicted).isEmpty();
	}

	@Test
	void whatIsForgottenWhileItIsFiledLeavesNoTrace() {
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			for (int i = 0; i < 20_000; i++) {
				MemoryRecord record = begin("filed " + i);
				record.complete(OWNER, StoredResult.tombstone(), Duration.ofMillis(1), this.now.toEpochMilli());
				Future<Boolean> forgotten = other.submit(() -> this.records.forget(record));
				this.records.completed(record, this.now.toEpochMilli());
				assertThat(forgotten).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
			}
		}
		finally {
			other.shutdownNow();
		}
		assertThat(this.records.filed()).isZero();
		assertThat(this.records.size()).isZero();
	}

	@Test
	void aReplayIsReadWhileAnotherHoldsTheLockOfItsRecord() {
		MemoryRecord record = complete("done");
		long millis = this.now.toEpochMilli();
		synchronized (record) {
			assertThat(CompletableFuture.supplyAsync(() -> record.tryToRead(terms(OnReplay.READ), millis)))
				.succeedsWithin(Duration.ofSeconds(30))
				.isInstanceOf(ClaimResult.Refused.class);
		}
	}

	private MemoryRecord begin(String value) {
		this.records.nextClaim();
		MemoryRecord record = new MemoryRecord(key(value), Fingerprint.none(), OWNER, terms(OnReplay.READ),
				this.now.toEpochMilli());
		MemoryRecord there = this.records.addIfAbsent(record);
		return (there != null) ? there : record;
	}

	private MemoryRecord complete(String value) {
		MemoryRecord record = begin(value);
		if (record.complete(OWNER, StoredResult.tombstone(), Duration.ofMillis(1), this.now.toEpochMilli())) {
			this.records.completed(record, this.now.toEpochMilli());
		}
		return record;
	}

	private List<IdempotencyKey> seen() {
		List<IdempotencyKey> keys = new ArrayList<>();
		this.records.forEach((record) -> keys.add(record.key()));
		return keys;
	}

	private static ClaimTerms terms(OnReplay onReplay) {
		return new ClaimTerms(TTL, TTL, OnCrash.RETRY, onReplay);
	}

	private static IdempotencyKey key(String value) {
		return IdempotencyKey.of("test", value);
	}

}
