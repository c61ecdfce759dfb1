package dev.idempotency.store;

import java.nio.ReadOnlyBufferException;

import dev.idempotency.ResultTooLargeException;
import dev.idempotency.UnsupportedFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class StoredResultTests {

	/**
	 * What release 0.1 writes: whatever comes later must read it.
	 */
	private static final byte[] FIRST_FORMAT = { 1, 0, 'p', 'a', 'i', 'd' };

	private static final byte[] FIRST_FORMAT_TOMBSTONE = { 1, 1 };

	@Test
	void readsAndWritesTheFirstFormat() {
		StoredResult result = StoredResult.fromFrame(FIRST_FORMAT);
		assertThat(result).isEqualTo(StoredResult.of(new byte[] { 'p', 'a', 'i', 'd' }));
		assertThat(result.toFrame()).isEqualTo(FIRST_FORMAT);
		assertThat(result.isTombstone()).isFalse();
		assertThat(result.size()).isEqualTo(6);
	}

	@Test
	void isTheSameInPieces() {
		StoredResult result = StoredResult.ofPieces(new byte[] { 9, 9, 'p' }, new byte[] { 'a', 'i' }, new byte[0],
				new byte[] { 'd' });
		assertThat(result.size()).isEqualTo(6);
		assertThat(result.isTombstone()).isFalse();
		assertThat(result.isPacked()).isFalse();
		assertThat(result).isEqualTo(StoredResult.fromFrame(FIRST_FORMAT))
			.hasSameHashCodeAs(StoredResult.fromFrame(FIRST_FORMAT));
		assertThat(result.toFrame()).isEqualTo(FIRST_FORMAT).isSameAs(result.toFrame());
		assertThat(result.payload().remaining()).isEqualTo(4);
		assertThat(result.size()).isEqualTo(6);
	}

	@Test
	void saysOnlyToTheEngineThatPiecesAreTooMany() {
		byte[] piece = new byte[StoredResult.MAX_SIZE / 2];
		StoredResult.ofPieces(new byte[StoredResult.HEADER], piece, piece).requireStorable();
		StoredResult tooLarge = StoredResult.ofPieces(new byte[StoredResult.HEADER + 1], piece, piece);
		assertThatExceptionOfType(ResultTooLargeException.class).isThrownBy(tooLarge::requireStorable);
	}

	@Test
	void readsAndWritesTheTombstoneOfTheFirstFormat() {
		StoredResult tombstone = StoredResult.fromFrame(FIRST_FORMAT_TOMBSTONE);
		assertThat(tombstone.isTombstone()).isTrue();
		assertThat(tombstone).isEqualTo(StoredResult.tombstone());
		assertThat(StoredResult.tombstone().toFrame()).isEqualTo(FIRST_FORMAT_TOMBSTONE);
	}

	@Test
	void refusesANewerFormatAndPassesItOn() {
		byte[] frame = { 3, 0, 7 };
		StoredResult newer = StoredResult.fromFrame(frame);
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(newer::payload)
			.withMessageContaining("format 3")
			.withMessageContaining("reads only formats 1 and 2");
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(newer::isTombstone);
		assertThat(newer.toFrame()).isEqualTo(frame);
	}

	@Test
	void refusesAFlagItDoesNotKnow() {
		StoredResult newer = StoredResult.fromFrame(new byte[] { 1, 2, 7 });
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(newer::payload)
			.withMessageContaining("flags 2");
	}

	@ParameterizedTest
	@ValueSource(bytes = { 2, 4, 6 })
	void passesOnWhatIsPackedAndDoesNotReadIt(byte flags) {
		byte[] frame = { 2, flags, 7 };
		StoredResult packed = StoredResult.fromFrame(frame);
		assertThat(packed.isPacked()).isTrue();
		assertThat(packed.isTombstone()).isFalse();
		assertThat(packed.toFrame()).isEqualTo(frame);
		assertThatIllegalStateException().isThrownBy(packed::payload).withMessageContaining("only the engine");
	}

	@ParameterizedTest
	@ValueSource(bytes = { 0, 1, 3, 5, 7, 8, 10, -128 })
	void refusesTheSecondFormatWithFlagsThatNobodyWrites(byte flags) {
		StoredResult strange = StoredResult.fromFrame(new byte[] { 2, flags, 7 });
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(strange::isPacked);
	}

	@Test
	void knowsThatThePlainAndTheEmptyAreNotPacked() {
		assertThat(StoredResult.of(new byte[0]).isPacked()).isFalse();
		assertThat(StoredResult.tombstone().isPacked()).isFalse();
	}

	@Test
	void rejectsAFrameWithoutAHeader() {
		assertThatIllegalArgumentException().isThrownBy(() -> StoredResult.fromFrame(new byte[1]))
			.withMessageContaining("1 bytes in all");
	}

	@Test
	void rejectsMoreThanCanBeStored() {
		assertThatExceptionOfType(ResultTooLargeException.class)
			.isThrownBy(() -> StoredResult.of(new byte[StoredResult.MAX_SIZE + 1]))
			.withMessageContaining("67108865 bytes, more than the 67108864");
	}

	@Test
	void cannotBeChangedFromOutside() {
		byte[] payload = { 1, 2, 3 };
		StoredResult result = StoredResult.of(payload);
		payload[0] = 9;
		assertThat(result.payload().get(0)).isEqualTo((byte) 1);
		assertThatExceptionOfType(ReadOnlyBufferException.class).isThrownBy(() -> result.payload().put(0, (byte) 9));
	}

	@Test
	void tellsItsSizeAndNothingElse() {
		assertThat(StoredResult.fromFrame(FIRST_FORMAT)).hasToString("StoredResult[format 1, flags 0, 6 bytes]");
	}

}
