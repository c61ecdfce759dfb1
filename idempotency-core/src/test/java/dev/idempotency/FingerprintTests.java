package dev.idempotency;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class FingerprintTests {

	private final Fingerprint fingerprint = Fingerprint.sha256("hello".getBytes(StandardCharsets.UTF_8));

	@Test
	void isASha256() {
		assertThat(this.fingerprint.toBytes()).hasSize(32).startsWith(0x2c, 0xf2, 0x4d, 0xba);
		assertThat(this.fingerprint).hasToString("2cf24dba5fb0");
	}

	@Test
	void comesBackFromItsBytes() {
		assertThat(Fingerprint.ofBytes(this.fingerprint.toBytes())).isEqualTo(this.fingerprint)
			.hasSameHashCodeAs(this.fingerprint);
		assertThat(Fingerprint.ofBytes(new byte[0])).isSameAs(Fingerprint.none());
	}

	@Test
	void rejectsOtherSizes() {
		assertThatIllegalArgumentException().isThrownBy(() -> Fingerprint.ofBytes(new byte[31]))
			.withMessageContaining("not 31");
	}

	@Test
	void cannotBeChangedFromOutside() {
		byte[] bytes = this.fingerprint.toBytes();
		Fingerprint copy = Fingerprint.ofBytes(bytes);
		bytes[0]++;
		copy.toBytes()[1]++;
		assertThat(copy).isEqualTo(this.fingerprint);
	}

}
