package dev.idempotency.digest;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * These digests are stored. When a test here fails, keys that are in use during an
 * upgrade are not found any more.
 */
class PartsTests {

	@Test
	void isTheDigestOfEachPartWithItsLengthBeforeIt() {
		byte[] bytes = HexFormat.of().parseHex("00000004" + "61e282ac" + "00000000" + "ffffffff" + "00000001" + "07");
		assertThat(new Parts().add("a\u20ac").add("").add((String) null).add(new byte[] { 7, 8 }, 1).digest())
			.isEqualTo(Sha256.digest(bytes));
	}

	@Test
	void doesNotMindHowMuchRoomThereIs() throws IOException {
		Random random = new Random(1);
		for (int i = 0; i < 2000; i++) {
			List<@Nullable Object> parts = parts(random);
			Parts some = new Parts(random.nextInt(300));
			assertThat(digest(new Parts(), parts)).isEqualTo(byHand(parts)).isEqualTo(digest(some, parts));
			assertThat(digest(some, parts)).as("used again").isEqualTo(byHand(parts));
		}
	}

	@Test
	void seesHowPartsAreCut() {
		List<@Nullable String> texts = Arrays.asList(null, "", "a", "b", "ab", "\u0000", "\u0000\u0000\u0000\u0001a");
		Set<String> digests = new HashSet<>();
		int lists = 0;
		for (String one : texts) {
			digests.add(HexFormat.of().formatHex(new Parts().add(one).digest()));
			for (String two : texts) {
				digests.add(HexFormat.of().formatHex(new Parts().add(one).add(two).digest()));
				lists++;
			}
			lists++;
		}
		assertThat(digests).hasSize(lists);
	}

	@Test
	void lendsADigestWithNothingInIt() {
		Parts parts = new Parts().add("a");
		assertThat(parts.unusedDigest().digest(new byte[] { 1 })).isEqualTo(Sha256.digest(new byte[] { 1 }));
		parts.add("b".repeat(1000));
		assertThat(parts.unusedDigest().digest(new byte[] { 1 })).isEqualTo(Sha256.digest(new byte[] { 1 }));
		assertThat(parts.digest()).isEqualTo(new Parts().add("a").add("b".repeat(1000)).digest());
	}

	private static byte[] digest(Parts parts, List<@Nullable Object> values) {
		for (Object value : values) {
			if (value instanceof byte[] bytes) {
				parts.add(bytes);
			}
			else {
				parts.add((String) value);
			}
		}
		return parts.digest();
	}

	private static byte[] byHand(List<@Nullable Object> values) throws IOException {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(all);
		for (Object value : values) {
			if (value == null) {
				out.writeInt(-1);
			}
			else {
				byte[] bytes = (value instanceof byte[] given) ? given
						: ((String) value).getBytes(StandardCharsets.UTF_8);
				out.writeInt(bytes.length);
				out.write(bytes);
			}
		}
		return Sha256.digest(all.toByteArray());
	}

	private static List<@Nullable Object> parts(Random random) {
		List<@Nullable Object> parts = new ArrayList<>();
		for (int i = random.nextInt(8); i > 0; i--) {
			int length = random.nextInt((random.nextInt(4) == 0) ? 300 : 40);
			parts.add(switch (random.nextInt(4)) {
				case 0 -> null;
				case 1 -> new byte[length];
				case 2 -> "x".repeat(length) + "\u20ac";
				default -> "x".repeat(length);
			});
		}
		return parts;
	}

}
