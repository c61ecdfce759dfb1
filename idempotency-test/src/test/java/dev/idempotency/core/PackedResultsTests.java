package dev.idempotency.core;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.EngineSettings.OnStoreFailure;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import dev.idempotency.fixtures.CapturedOutput;
import dev.idempotency.fixtures.OutputCapture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the engine makes of results that are compressed or encrypted in the store.
 */
@ExtendWith(OutputCapture.class)
class PackedResultsTests extends EngineFixture {

	/**
	 * The bytes 0 to 31.
	 */
	private static final String SECRET = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

	private static final String OTHER_SECRET = "AAAAAAAAAAAAAAAAAAAAAA==";

	private static final ResultPacking BOTH = ResultPacking.none()
		.withCompression(1024)
		.withEncryption(SECRET, List.of());

	private static final ResultPacking STRANGER = ResultPacking.none().withEncryption(OTHER_SECRET, List.of());

	private static final String LONG_TEXT = "paid ".repeat(1000);

	@BeforeEach
	void pack() {
		packing(BOTH, OnStoreFailure.REJECT);
	}

	private void packing(ResultPacking packing, OnStoreFailure onStoreFailure) {
		this.engine = engine(this.store, new EngineSettings("shop", Mode.ENFORCE, onStoreFailure, packing));
	}

	private StoredResult kept() {
		return Objects.requireNonNull(this.memory.find(KEY.within("shop")).orElseThrow().result());
	}

	private void keep(byte[] frame) {
		ClaimResult result = this.memory.claim(KEY.within("shop"), FINGERPRINT, POLICY.terms());
		this.memory.complete(((ClaimResult.Granted) result).claim(), StoredResult.fromFrame(frame), TTL);
	}

	@Test
	void replaysWhatItHasPacked() {
		proceed().complete(bytes(LONG_TEXT));
		assertThat(kept().isPacked()).isTrue();
		assertThat(replayed(begin())).isEqualTo(LONG_TEXT);
		assertThat(replayed(begin())).isEqualTo(LONG_TEXT);
	}

	@Test
	void leavesNothingReadableInTheStore() {
		proceed().complete(bytes("a secret receipt"));
		assertThat(new String(kept().toFrame(), StandardCharsets.ISO_8859_1)).doesNotContain("secret")
			.doesNotContain("receipt");
		assertThat(replayed(begin())).isEqualTo("a secret receipt");
	}

	@Test
	void writesTombstonesAndPlainResultsAsTheFirstReleaseDid() {
		proceed().complete(null);
		assertThat(kept().toFrame()).containsExactly(1, 1);
		assertThat(begin()).isEqualTo(Decision.Refused.notReplayable(null));
		this.memory.forget(KEY.within("shop"));
		packing(ResultPacking.none().withCompression(1024), OnStoreFailure.REJECT);
		proceed().complete(bytes("paid"));
		assertThat(kept().toFrame()).containsExactly(1, 0, 'p', 'a', 'i', 'd');
	}

	@Test
	void readsWhatTheFirstReleaseWrote() {
		keep(new byte[] { 1, 0, 'p', 'a', 'i', 'd' });
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@Test
	void readsTheTombstoneThatTheFirstReleaseWrote() {
		keep(new byte[] { 1, 1 });
		assertThat(begin()).isEqualTo(Decision.Refused.notReplayable(null));
	}

	/**
	 * Known answers, made by another implementation of AES-GCM and DEFLATE: whatever
	 * comes later must read them.
	 */
	@ParameterizedTest
	@CsvSource({ "100, paid , 0202000001f42b48cc4c5128182546120100",
			"1, paid 100 euros, 0204630dcd29000102030405060708090a0b3763bf7fe5d4f22bad24e2f9de9aaed3ce3e188d1fc5ae4bf1ac27da4e46",
			"100, paid , 0206630dcd29000102030405060708090a0b4702d7efeead0e57dc698faef7fb796d0a9427a4c620c05cfa533e4eec918673" })
	void readsTheSecondFormat(int times, String text, String frame) {
		keep(HexFormat.of().parseHex(frame));
		assertThat(replayed(begin())).isEqualTo((text + ((times > 1) ? " " : "")).repeat(times));
	}

	@ParameterizedTest
	@EnumSource
	void doesNotRunAgainWhatItCannotDecrypt(OnStoreFailure onStoreFailure, CapturedOutput output) {
		proceed().complete(bytes("paid"));
		packing(STRANGER, onStoreFailure);
		assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(this::begin)
			.withMessageContaining("add it to the previous encryption keys");
		assertThat(output).contains("add it to the previous encryption keys")
			.doesNotContain(SECRET)
			.doesNotContain(OTHER_SECRET);
		packing(BOTH, onStoreFailure);
		assertThat(replayed(begin())).isEqualTo("paid");
	}

	@ParameterizedTest
	@EnumSource
	void doesNotRunAgainWhatWasChanged(OnStoreFailure onStoreFailure) {
		byte[] frame = BOTH.pack(KEY.within("shop"), StoredResult.of(bytes("paid"))).toFrame();
		frame[frame.length - 1]++;
		keep(frame);
		packing(BOTH, onStoreFailure);
		assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(this::begin)
			.withMessageContaining("is damaged");
	}

	@Test
	void doesNotReplayWhatWasStoredForAnotherKey() {
		keep(BOTH.pack(KEY.within("another shop"), StoredResult.of(bytes("paid"))).toFrame());
		assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(this::begin)
			.withMessageContaining("stored for another key");
	}

	@ParameterizedTest
	@CsvSource({ "3, 0", "2, 8", "2, 0", "1, 2", "254, 127" })
	void leavesAloneWhatANewerReleaseWrote(int format, int flags) {
		byte[] frame = { (byte) format, (byte) flags, 1, 2, 3 };
		keep(frame);
		packing(BOTH, OnStoreFailure.PROCEED);
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(this::begin)
			.withMessageContaining("upgrade this instance");
		assertThat(kept().toFrame()).isEqualTo(frame);
	}

	@Test
	void needNotReadAResultToRefuseAnotherRequest() {
		proceed().complete(bytes("paid"));
		packing(STRANGER, OnStoreFailure.REJECT);
		assertThat(beginSomethingElse()).isEqualTo(Decision.Refused.keyReused());
	}

	@Test
	void needNotReadAResultThatWasGivenOutTooOften() {
		OperationPolicy policy = POLICY.withMaxReplays(1);
		proceed(begin(policy)).complete(bytes("paid"));
		assertThat(replayed(begin(policy))).isEqualTo("paid");
		packing(STRANGER, OnStoreFailure.REJECT);
		assertThat(begin(policy)).isEqualTo(Decision.Refused.replayLimit(2, TTL));
	}

	@Test
	void foreseesAReplayWithAResultThatCanBeRead() {
		proceed().complete(bytes("paid"));
		Preview preview = this.engine(this.memory).preview(new Attempt(KEY, FINGERPRINT, POLICY));
		assertThat(preview.answer()).isEqualTo(new Decision.Replay(StoredResult.of(bytes("paid")), null));
		assertThat(preview.found()).isPresent();
	}

	@Test
	void foreseesThatEverythingRunsWhereItObserves() {
		proceed().complete(bytes("paid"));
		EngineSettings observing = new EngineSettings("shop", Mode.OBSERVE, OnStoreFailure.REJECT, BOTH);
		Preview preview = engine(this.memory, observing).preview(new Attempt(KEY, FINGERPRINT, POLICY));
		assertThat(preview.runs()).isTrue();
		assertThat(preview.found()).isPresent();
	}

	@Test
	void foreseesThatAResultCannotBeRead() {
		keep(STRANGER.pack(KEY.within("shop"), StoredResult.of(bytes("paid"))).toFrame());
		IdempotencyEngine engine = engine(this.memory);
		assertThatExceptionOfType(UnreadableResultException.class)
			.isThrownBy(() -> engine.preview(new Attempt(KEY, FINGERPRINT, POLICY)));
	}

	private IdempotencyEngine engine(IdempotencyStore store) {
		return engine(store, new EngineSettings("shop", Mode.ENFORCE, OnStoreFailure.REJECT, BOTH));
	}

	@Test
	void tellsALateExecutionWhatItsSuccessorStored() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		proceed().complete(bytes("paid by another"));
		assertThat(late.complete(bytes("too late")))
			.isEqualTo(Completion.superseded(new Decision.Replay(StoredResult.of(bytes("paid by another")), null)));
	}

	@Test
	void tellsALateExecutionThatNobodyCanReadWhatItsSuccessorStored() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		IdempotencyEngine engine = this.engine;
		packing(STRANGER, OnStoreFailure.REJECT);
		proceed().complete(bytes("paid by another"));
		this.engine = engine;
		assertThat(late.complete(bytes("too late")))
			.isEqualTo(Completion.superseded(Decision.Refused.notReplayable(null)));
	}

	@Test
	void storesPackedWhatIsStillWelcomeAfterTheClaimWasLost() {
		Execution late = proceed();
		this.clock.advance(LEASE);
		proceed().close();
		assertThat(late.complete(bytes(LONG_TEXT))).isEqualTo(Completion.stored(true));
		assertThat(replayed(begin())).isEqualTo(LONG_TEXT);
	}

	@Test
	void holdsMoreInTheSameStoreByCompressing() {
		assertThat(proceed().complete(new byte[2 << 20])).isEqualTo(Completion.stored(true));
		assertThat(((Decision.Replay) begin()).result().payload().remaining()).isEqualTo(2 << 20);
	}

	@Test
	void completesWithoutAResultThatIsTooLargeEvenPacked() {
		byte[] noise = new byte[2 << 20];
		new Random(42).nextBytes(noise);
		assertThat(proceed().complete(noise)).isEqualTo(Completion.stored(false));
		this.memory.forget(KEY.within("shop"));
		assertThat(proceed().complete(new byte[StoredResult.MAX_SIZE + 1])).isEqualTo(Completion.stored(false));
	}

	@Test
	void publishesResultsThatCanBeRead() {
		proceed().complete(bytes("paid"));
		begin();
		assertThat(events(IdempotencyEvent.Decided.class)).last()
			.satisfies((event) -> assertThat(event.answer())
				.isEqualTo(new Decision.Replay(StoredResult.of(bytes("paid")), null)));
	}

}
