package dev.idempotency.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.StoredResult;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ResultPackingTests {

	private static final IdempotencyKey KEY = IdempotencyKey.of("pay", "key").within("shop");

	private static final int THRESHOLD = 1024;

	private static final String SECRET = secret(1, 32);

	private static final String OTHER_SECRET = secret(2, 32);

	private static final ResultPacking COMPRESSING = ResultPacking.none().withCompression(THRESHOLD);

	private static final ResultPacking ENCRYPTING = ResultPacking.none().withEncryption(SECRET, List.of());

	private static final ResultPacking BOTH = COMPRESSING.withEncryption(SECRET, List.of());

	static final List<ResultPacking> ALL = List.of(ResultPacking.none(), COMPRESSING, ENCRYPTING, BOTH,
			ResultPacking.none().withCompression(0));

	private static String secret(int seed, int length) {
		return Base64.getEncoder().encodeToString(random(seed, length));
	}

	private static byte[] random(int seed, int length) {
		byte[] bytes = new byte[length];
		new Random(seed).nextBytes(bytes);
		return bytes;
	}

	private static byte[] text(int length) {
		return "{\"paid\":true} ".repeat(length / 14 + 1).substring(0, length).getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] payload(StoredResult result) {
		ByteBuffer payload = result.payload();
		byte[] bytes = new byte[payload.remaining()];
		payload.get(bytes);
		return bytes;
	}

	private static byte flags(StoredResult result) {
		return result.toFrame()[1];
	}

	static List<byte[]> payloads() {
		List<byte[]> payloads = new ArrayList<>();
		for (int length : new int[] { 0, 1, 4, 5, 100, THRESHOLD - 1, THRESHOLD, THRESHOLD + 1, 70_000, 4 << 20 }) {
			payloads.add(text(length));
			payloads.add(random(length, length));
			payloads.add(new byte[length]);
		}
		return payloads;
	}

	@ParameterizedTest
	@FieldSource("ALL")
	void givesBackWhatItWasGiven(ResultPacking packing) {
		for (byte[] payload : payloads()) {
			StoredResult kept = StoredResult.fromFrame(packing.pack(KEY, StoredResult.of(payload)).toFrame());
			assertThat(Arrays.equals(payload(packing.unpack(KEY, kept)), payload)).as("%d bytes", payload.length)
				.isTrue();
		}
	}

	@Test
	void compressesFromTheThresholdOn() {
		assertThat(COMPRESSING.pack(KEY, StoredResult.of(text(THRESHOLD - 1))))
			.isEqualTo(StoredResult.of(text(THRESHOLD - 1)));
		StoredResult packed = COMPRESSING.pack(KEY, StoredResult.of(text(THRESHOLD)));
		assertThat(flags(packed)).isEqualTo(StoredResult.COMPRESSED);
		assertThat(packed.size()).isLessThan(100);
	}

	@Test
	void leavesAloneWhatCompressionWouldNotMakeSmaller() {
		byte[] noise = random(7, 10_000);
		assertThat(COMPRESSING.pack(KEY, StoredResult.of(noise))).isEqualTo(StoredResult.of(noise));
		assertThat(flags(BOTH.pack(KEY, StoredResult.of(noise)))).isEqualTo(StoredResult.ENCRYPTED);
		ResultPacking always = ResultPacking.none().withCompression(0);
		for (int length = 0; length < 50; length++) {
			byte[] payload = new byte[length];
			assertThat(always.pack(KEY, StoredResult.of(payload)).size())
				.isLessThanOrEqualTo(StoredResult.of(payload).size());
		}
	}

	/**
	 * Base64 would save a quarter, and take longer than anything that saves much.
	 */
	@Test
	void leavesAloneWhatIsLargeAndWouldHardlyBecomeSmaller() {
		byte[] attachment = Base64.getEncoder().encode(random(8, 100_000));
		assertThat(COMPRESSING.pack(KEY, StoredResult.of(attachment))).isEqualTo(StoredResult.of(attachment));
		assertThat(flags(BOTH.pack(KEY, StoredResult.of(attachment)))).isEqualTo(StoredResult.ENCRYPTED);
		byte[] small = Arrays.copyOf(attachment, 10_000);
		assertThat(COMPRESSING.pack(KEY, StoredResult.of(small)).size()).isLessThan(8_000);
		StoredResult text = COMPRESSING.pack(KEY, StoredResult.of(text(100_000)));
		assertThat(flags(text)).isEqualTo(StoredResult.COMPRESSED);
		assertThat(text.size()).isLessThan(1_000);
	}

	@Test
	void keepsItsHandsOffSmallAndPlainResults() {
		StoredResult plain = StoredResult.of(text(10));
		for (ResultPacking packing : ALL) {
			assertThat(packing.unpack(KEY, plain)).isSameAs(plain);
			assertThat(packing.unpack(KEY, StoredResult.tombstone())).isSameAs(StoredResult.tombstone());
		}
	}

	@ParameterizedTest
	@FieldSource("ALL")
	void refusesWhatIsTooLargeForAnyStore(ResultPacking packing) {
		byte[] payload = new byte[StoredResult.MAX_SIZE + 1];
		assertThatExceptionOfType(ResultTooLargeException.class)
			.isThrownBy(() -> packing.pack(KEY, StoredResult.of(payload)));
	}

	@Test
	void readsTheLargestResult() {
		byte[] payload = new byte[StoredResult.MAX_SIZE];
		assertThat(BOTH.unpack(KEY, BOTH.pack(KEY, StoredResult.of(payload))).payload().remaining())
			.isEqualTo(payload.length);
	}

	// Encryption

	@ParameterizedTest
	@ValueSource(ints = { 16, 24, 32 })
	void encryptsWithKeysOfEveryLength(int length) {
		ResultPacking packing = ResultPacking.none().withEncryption(secret(3, length), List.of());
		StoredResult packed = packing.pack(KEY, StoredResult.of(text(10)));
		assertThat(flags(packed)).isEqualTo(StoredResult.ENCRYPTED);
		assertThat(payload(packing.unpack(KEY, packed))).isEqualTo(text(10));
	}

	@Test
	void neverEncryptsTheSameWayTwice() {
		assertThat(ENCRYPTING.pack(KEY, StoredResult.of(text(10))))
			.isNotEqualTo(ENCRYPTING.pack(KEY, StoredResult.of(text(10))));
	}

	@Test
	void showsNothingOfWhatItEncrypts() {
		byte[] secret = text(50);
		String kept = new String(ENCRYPTING.pack(KEY, StoredResult.of(secret)).toFrame(), StandardCharsets.ISO_8859_1);
		assertThat(kept).doesNotContain("paid").doesNotContain("true");
	}

	@Test
	void opensWithAPreviousKeyWhatItEncryptsNoMore() {
		StoredResult old = ENCRYPTING.pack(KEY, StoredResult.of(text(10)));
		ResultPacking rotated = ResultPacking.none().withEncryption(OTHER_SECRET, List.of(secret(9, 16), SECRET));
		assertThat(payload(rotated.unpack(KEY, old))).isEqualTo(text(10));
		StoredResult fresh = rotated.pack(KEY, StoredResult.of(text(10)));
		assertThat(payload(ResultPacking.none().withEncryption(OTHER_SECRET, List.of()).unpack(KEY, fresh)))
			.isEqualTo(text(10));
	}

	@Test
	void opensWithPreviousKeysAlone() {
		ResultPacking leaving = ResultPacking.none().withEncryption(" ", List.of("", SECRET));
		assertThat(payload(leaving.unpack(KEY, ENCRYPTING.pack(KEY, StoredResult.of(text(10)))))).isEqualTo(text(10));
		assertThat(leaving.pack(KEY, StoredResult.of(text(10)))).isEqualTo(StoredResult.of(text(10)));
	}

	@Test
	void saysWhichSettingLacksTheKeyOfAResult() {
		StoredResult packed = ENCRYPTING.pack(KEY, StoredResult.of(text(10)));
		for (ResultPacking stranger : List.of(ResultPacking.none(), COMPRESSING,
				ResultPacking.none().withEncryption(OTHER_SECRET, List.of(secret(5, 32))))) {
			assertUnreadable(() -> stranger.unpack(KEY, packed),
					"was encrypted with a key that is not configured: add it to the previous encryption keys");
		}
	}

	@Test
	void opensNothingUnderAnotherIdempotencyKey() {
		StoredResult packed = BOTH.pack(KEY, StoredResult.of(text(2000)));
		for (IdempotencyKey other : List.of(IdempotencyKey.of("pay", "another").within("shop"),
				IdempotencyKey.of("refund", "key").within("shop"), IdempotencyKey.of("pay", "key").within("mall"))) {
			assertUnreadable(() -> BOTH.unpack(other, packed), "or was stored for another key");
		}
	}

	@ParameterizedTest
	@MethodSource("encrypted")
	void noticesEveryBitThatWasChanged(StoredResult packed) {
		byte[] frame = packed.toFrame();
		for (int bit = 0; bit < frame.length * 8; bit++) {
			byte[] changed = frame.clone();
			changed[bit / 8] ^= (byte) (1 << (bit % 8));
			assertThatExceptionOfType(RuntimeException.class).as("bit %d", bit)
				.isThrownBy(() -> BOTH.unpack(KEY, StoredResult.fromFrame(changed)))
				.isInstanceOfAny(UnreadableResultException.class, UnsupportedFormatException.class);
		}
	}

	@ParameterizedTest
	@MethodSource("encrypted")
	void noticesWhatIsMissing(StoredResult packed) {
		byte[] frame = packed.toFrame();
		for (int length = 2; length < frame.length; length++) {
			StoredResult cut = StoredResult.fromFrame(Arrays.copyOf(frame, length));
			assertUnreadable(() -> BOTH.unpack(KEY, cut), "The stored result of pay #");
		}
	}

	static List<StoredResult> encrypted() {
		return List.of(BOTH.pack(KEY, StoredResult.of(text(30))), BOTH.pack(KEY, StoredResult.of(text(2000))),
				BOTH.pack(KEY, StoredResult.of(new byte[0])));
	}

	@Test
	void tellsNothingOfItsKeys() {
		assertThat(BOTH).hasToString("ResultPacking[compressing from 1024 bytes, encrypting]");
		assertThat(new EngineSettings("shop", EngineSettings.Mode.ENFORCE, EngineSettings.OnStoreFailure.REJECT, BOTH)
			.toString()).doesNotContain(SECRET).contains("encrypting");
	}

	@Test
	void takesAKeyFromAFileThatEndsWithALineFeed() {
		ResultPacking packing = ResultPacking.none().withEncryption(SECRET + "\n", List.of());
		assertThat(payload(packing.unpack(KEY, ENCRYPTING.pack(KEY, StoredResult.of(text(10)))))).isEqualTo(text(10));
	}

	@ParameterizedTest
	@ValueSource(strings = { "no Base64!", "c2hvcnQ=", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" })
	void refusesAKeyThatIsNoneWithoutRepeatingIt(String wrong) {
		assertThatIllegalArgumentException().isThrownBy(() -> ResultPacking.none().withEncryption(wrong, List.of()))
			.withMessageStartingWith("idempotency.encryption.key must be 16, 24 or 32 bytes in Base64, but ")
			.withMessageEndingWith("Use the output of 'openssl rand -base64 32'.")
			.withNoCause()
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain(wrong));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> ResultPacking.none().withEncryption(null, List.of(SECRET, wrong)))
			.withMessageStartingWith("idempotency.encryption.previous-keys[1] must be ");
	}

	// Compression

	@ParameterizedTest
	@ValueSource(longs = { -1, StoredResult.MAX_SIZE + 1L, Long.MAX_VALUE })
	void refusesAThresholdThatNoResultCanReach(long threshold) {
		assertThatIllegalArgumentException().isThrownBy(() -> ResultPacking.none().withCompression(threshold))
			.withMessageContaining("idempotency.compression.threshold must be between 0B and 64MB, but is " + threshold)
			.withMessageContaining("Write a size such as 1KB");
	}

	@Test
	void doesNotBelieveALengthThatCannotBeTrue() {
		byte[] compressed = COMPRESSING.pack(KEY, StoredResult.of(new byte[1 << 20])).toFrame();
		for (int length : new int[] { -1, Integer.MIN_VALUE, Integer.MAX_VALUE, StoredResult.MAX_SIZE,
				StoredResult.MAX_SIZE + 1 }) {
			ByteBuffer.wrap(compressed).putInt(2, length);
			assertUnreadable(() -> COMPRESSING.unpack(KEY, StoredResult.fromFrame(compressed)),
					"its length is impossible");
		}
	}

	@Test
	void inflatesNoFurtherThanTheLengthInFront() {
		byte[] compressed = COMPRESSING.pack(KEY, StoredResult.of(new byte[1 << 20])).toFrame();
		for (int length : new int[] { 0, 1, (1 << 20) - 1, (1 << 20) + 1 }) {
			ByteBuffer.wrap(compressed).putInt(2, length);
			assertUnreadable(() -> COMPRESSING.unpack(KEY, StoredResult.fromFrame(compressed)),
					"its length does not match");
		}
	}

	@Test
	void noticesACompressedResultThatWasCutOrContinued() {
		byte[] compressed = COMPRESSING.pack(KEY, StoredResult.of(text(5000))).toFrame();
		for (int length = 2; length < compressed.length; length++) {
			StoredResult cut = StoredResult.fromFrame(Arrays.copyOf(compressed, length));
			assertUnreadable(() -> COMPRESSING.unpack(KEY, cut), "is damaged, its length");
		}
		StoredResult continued = StoredResult.fromFrame(Arrays.copyOf(compressed, compressed.length + 1));
		assertUnreadable(() -> COMPRESSING.unpack(KEY, continued), "its length does not match");
	}

	@Test
	void noticesWhatWasNeverCompressed() {
		byte[] frame = { StoredResult.PACKED_FORMAT, StoredResult.COMPRESSED, 0, 0, 0, 9, -1, -1, -1, -1 };
		assertUnreadable(() -> COMPRESSING.unpack(KEY, StoredResult.fromFrame(frame)), "it cannot be decompressed");
	}

	private static void assertUnreadable(ThrowingCallable unpacking, String message) {
		assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(unpacking)
			.withMessageContaining(message)
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain(SECRET)
				.doesNotContain(OTHER_SECRET)
				.doesNotContain("paid"));
	}

}
