package dev.idempotency.core;

import java.nio.ByteBuffer;
import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.StoredResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Repeats the inputs in the resources. How to look for new ones stands in
 * CONTRIBUTING.md.
 */
class ResultPackingFuzzTests {

	private static final IdempotencyKey KEY = IdempotencyKey.of("pay", "key").within("shop");

	private static final String SECRET = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

	private static final List<ResultPacking> ALL = List.of(ResultPacking.none(),
			ResultPacking.none().withCompression(0), ResultPacking.none().withEncryption(SECRET, List.of()),
			ResultPacking.none().withCompression(100).withEncryption(SECRET, List.of()));

	@FuzzTest
	void readsOrRefusesWhateverTheStoreKept(byte[] frame) {
		if (frame.length < 2) {
			return;
		}
		StoredResult kept = StoredResult.fromFrame(frame);
		for (ResultPacking packing : ALL) {
			try {
				StoredResult result = packing.unpack(KEY, kept);
				assertThat(result.isPacked()).isFalse();
				assertThat(result.size()).isLessThanOrEqualTo(1032 * frame.length);
			}
			catch (UnreadableResultException | UnsupportedFormatException ex) {
				assertThat(ex.getMessage()).isNotBlank();
			}
		}
		assertThat(kept.toFrame()).isEqualTo(frame);
	}

	@FuzzTest
	void givesBackWhateverItPacked(byte[] payload) {
		for (ResultPacking packing : ALL) {
			StoredResult kept = StoredResult.fromFrame(packing.pack(KEY, StoredResult.of(payload)).toFrame());
			ByteBuffer read = packing.unpack(KEY, kept).payload();
			assertThat(read).isEqualTo(ByteBuffer.wrap(payload));
			assertThat(kept.size()).isLessThanOrEqualTo(StoredResult.of(payload).size() + 32);
		}
	}

}
