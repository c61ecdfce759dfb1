package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PackedRecordTests {

	private static final long CREATED = 1_767_268_800_123L;

	private static final long LIFE = 3_600_000;

	private static final UUID OWNER = UUID.fromString("11111111-2222-4333-8444-555555555555");

	private static final Fingerprint FINGERPRINT = Fingerprint.sha256(new byte[0]);

	private static final StoredResult RESULT = StoredResult.of("done".getBytes(StandardCharsets.UTF_8));

	private static final IdempotencyKey KEY = new IdempotencyKey(
			new IdempotencyScope("shop", "POST /payments", "ann", "acme"), "order 1");

	private static byte[] claimed(IdempotencyKey key, Fingerprint fingerprint, @Nullable String trace) {
		return RecordPacking.claimed(OWNER, key, fingerprint, Duration.ofSeconds(30), LIFE, trace);
	}

	/**
	 * As the script does it.
	 */
	private static byte[] completed(byte[] claimed) {
		byte[] frame = RESULT.toFrame();
		int size = RecordPacking.sizeLength(frame.length);
		byte[] record = Arrays.copyOf(claimed, claimed.length + size + frame.length);
		RecordPacking.putSize(record, claimed.length, frame.length);
		System.arraycopy(frame, 0, record, claimed.length + size, frame.length);
		RecordPacking.put(record, PackedRecord.TIME, PackedRecord.SPAN_BYTES, 250);
		record[PackedRecord.FLAGS] |= PackedRecord.COMPLETED_FLAG;
		return record;
	}

	@Test
	void hasAHeadOfFixedSizeAndThenTexts() {
		byte[] record = claimed(KEY, FINGERPRINT, "trace-1");
		assertThat(HexFormat.of().formatHex(record, 0, 54)).isEqualTo("02" + "1e" + "000036ee80" + "0000007530" + "0001"
				+ "9555444477771666" + "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
		assertThat(new String(record, 54, record.length - 54, StandardCharsets.UTF_8))
			.isEqualTo("shop\0POST /payments\0ann\0acme\0trace-1\0order 1\0");
	}

	@Test
	void tellsEverythingThatItWasTold() {
		byte[] record = claimed(KEY, FINGERPRINT, "trace-1");
		assertThat(PackedRecord.read(record, 0).toRecord(10_000)).isEqualTo(new IdempotencyRecord.InProgress(
				FINGERPRINT, 1, Duration.ofSeconds(10), Duration.ofSeconds(20), "trace-1"));
		assertThat(PackedRecord.read(record, 0).toRecord(30_001)).isEqualTo(
				new IdempotencyRecord.InProgress(FINGERPRINT, 1, Duration.ofMillis(30_001), Duration.ZERO, "trace-1"));
		assertThat(PackedRecord.read(completed(record), 0).toRecord(0))
			.isEqualTo(new IdempotencyRecord.Completed(FINGERPRINT, 1, RESULT, 0, "trace-1"));
		assertThat(PackedRecord.read(completed(record), 0).isOwnedBy(OWNER)).isTrue();
		assertThat(PackedRecord.read(completed(record), 0).toSummary(RecordId.of(KEY), 0, CREATED + LIFE))
			.isEqualTo(new RecordSummary(RecordId.of(KEY), KeyDescription.of(KEY),
					new KeyStatus(RecordState.COMPLETED, 1, Instant.ofEpochMilli(CREATED),
							Instant.ofEpochMilli(CREATED + 250), Instant.ofEpochMilli(CREATED + LIFE)),
					Duration.ZERO, 0, RESULT.size(), "trace-1"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "k", "0af76519-16cd-43dd-8448-eb211c80319c", "0AF76519-16cd-43dd-8448-eb211c80319c",
			"0af76519-16cd-43dd-8448-eb211c80319-", "0af7651916cd43dd8448eb211c80319c\u20ac\ud83d\udcb3", "a\0b" })
	void givesTheKeyBackAsPeopleKnowIt(String value) {
		IdempotencyKey key = IdempotencyKey.of("test", value);
		for (byte[] record : new byte[][] { claimed(key, Fingerprint.none(), null),
				completed(claimed(key, FINGERPRINT, null)) }) {
			RecordSummary summary = PackedRecord.readHead(record, 0).toSummary(RecordId.of(key), 0, 0);
			assertThat(summary.key()).isEqualTo(KeyDescription.of(key));
			assertThat(summary.trace()).isNull();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, StoredResult.MAX_SIZE + 2 })
	void tellsTheSizeOfAResultThatIsNotThere(int size) {
		byte[] completion = RecordPacking.completion(OWNER, 5, size);
		byte[] head = claimed(KEY, FINGERPRINT, null);
		int sizeLength = completion.length - PackedRecord.OWNER_BYTES - PackedRecord.SPAN_BYTES;
		byte[] record = Arrays.copyOf(head, head.length + sizeLength);
		System.arraycopy(completion, completion.length - sizeLength, record, head.length, sizeLength);
		record[PackedRecord.FLAGS] |= PackedRecord.COMPLETED_FLAG;
		assertThat(PackedRecord.readHead(record, 0).toSummary(RecordId.of(KEY), 0, 0).size()).isEqualTo(size);
	}

	@Test
	void tellsAbsentFromEmpty() {
		IdempotencyKey empty = new IdempotencyKey(new IdempotencyScope("", "test", "", null), "key");
		assertThat(PackedRecord.read(claimed(empty, Fingerprint.none(), null), 0)).satisfies((record) -> {
			assertThat(record.toSummary(RecordId.of(empty), 0, 0).key()).isEqualTo(KeyDescription.of(empty));
			assertThat(record.toRecord(0).fingerprint()).isEqualTo(Fingerprint.none());
		});
	}

	@Test
	void isReadFromTheMiddleOfAnAnswer() {
		byte[] record = completed(claimed(KEY, FINGERPRINT, null));
		byte[] answer = new byte[7 + record.length];
		System.arraycopy(record, 0, answer, 7, record.length);
		assertThat(PackedRecord.read(answer, 7).toRecord(0)).isEqualTo(PackedRecord.read(record, 0).toRecord(0));
	}

	@Test
	void isRefusedWhenItIsCutOrHasMore() {
		for (byte[] whole : new byte[][] { claimed(KEY, FINGERPRINT, "t"), completed(claimed(KEY, FINGERPRINT, "t")),
				claimed(IdempotencyKey.of("test", OWNER.toString()), Fingerprint.none(), null) }) {
			for (int length = 0; length < whole.length; length++) {
				byte[] cut = Arrays.copyOf(whole, length);
				assertThatExceptionOfType(UnreadableResultException.class).as("%d bytes", length)
					.isThrownBy(() -> PackedRecord.read(cut, 0))
					.withMessageContaining("damaged");
			}
			byte[] more = Arrays.copyOf(whole, whole.length + 1);
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> PackedRecord.read(more, 0));
		}
	}

	@Test
	void isRefusedWhenItsFormatIsNewer() {
		byte[] record = claimed(KEY, FINGERPRINT, null);
		record[0] = (byte) 200;
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> PackedRecord.read(record, 0))
			.withMessageContaining("format 200");
	}

	@Test
	void isReadOrRefusedWhateverItsBytes() {
		Random random = new Random(1);
		byte[] whole = completed(claimed(KEY, FINGERPRINT, "t"));
		for (int i = 0; i < 100_000; i++) {
			byte[] bytes = (i % 2 == 0) ? whole.clone() : new byte[random.nextInt(200)];
			if (i % 2 == 0) {
				bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
			}
			else {
				random.nextBytes(bytes);
				if (bytes.length > 0) {
					bytes[0] = PackedRecord.FORMAT;
				}
			}
			try {
				PackedRecord record = PackedRecord.read(bytes, 0);
				record.toRecord(CREATED);
				record.toSummary(RecordId.of(KEY), CREATED, CREATED);
			}
			catch (UnreadableResultException | UnsupportedFormatException ex) {
				assertThat(ex.getMessage()).isNotBlank();
			}
		}
	}

}
