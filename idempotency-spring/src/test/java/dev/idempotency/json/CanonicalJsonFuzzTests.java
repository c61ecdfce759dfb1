package dev.idempotency.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Repeats the inputs in the resources. How to look for new ones stands in
 * CONTRIBUTING.md.
 */
class CanonicalJsonFuzzTests {

	private static final JsonMapper TREES = JsonMapper
		.builder(JsonFactory.builder()
			.streamReadConstraints(StreamReadConstraints.builder()
				.maxNameLength(Integer.MAX_VALUE)
				.maxNumberLength(Integer.MAX_VALUE)
				.build())
			.build())
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	@FuzzTest
	void agreesAboutWhatIsJson(byte[] json) {
		boolean valid = digest(json) != null;
		assertThat(valid).isEqualTo(ReferenceJson.parse(json) != null);
		assertThat(valid).isEqualTo(isTree(json));
		byte[] padded = Arrays.copyOf(json, json.length + 1);
		padded[json.length] = ']';
		assertThat(CanonicalJson.digest(padded, json.length, Sha256.newDigest())).isEqualTo(digest(json));
		if (valid) {
			assertThat(digest(padded)).isNull();
		}
	}

	@FuzzTest
	void doesNotSeeOrderBlanksAndEscapes(byte[] data) {
		ReferenceJson value = value(data);
		byte[] digest = digest(new ReferenceJsonWriter(new Random(0)).write(value));
		assertThat(digest).isNotNull().hasSize(32);
		if (ReferenceJson.parse(data) != null) {
			assertThat(digest).isEqualTo(digest(data));
		}
		ReferenceJsonWriter writer = new ReferenceJsonWriter(new Random(Arrays.hashCode(data)));
		for (int i = 0; i < 3; i++) {
			assertThat(digest(writer.write(value))).isEqualTo(digest);
		}
	}

	@FuzzTest
	void seesEverythingElse(byte[] data) {
		Random random = new Random(Arrays.hashCode(data));
		ReferenceJsonWriter writer = new ReferenceJsonWriter(random);
		// JSON has no zero bytes, so that one separates two texts
		int middle = 0;
		while (middle < data.length && data[middle] != 0) {
			middle++;
		}
		ReferenceJson one = value(Arrays.copyOf(data, middle));
		ReferenceJson other = value(Arrays.copyOfRange(data, Math.min(middle + 1, data.length), data.length));
		checkSame(writer, one, other);
		ReferenceJson mutant = one;
		for (int i = 0; i < 3; i++) {
			mutant = ReferenceJsonMutator.mutate(mutant, random);
			checkSame(writer, one, mutant);
		}
	}

	private static void checkSame(ReferenceJsonWriter writer, ReferenceJson one, ReferenceJson other) {
		byte[] digest = digest(writer.write(one));
		byte[] otherDigest = digest(writer.write(other));
		assertThat(Arrays.equals(digest, otherDigest)).isEqualTo(one.canonical().equals(other.canonical()));
	}

	/**
	 * What the data says if it is JSON, else some value that it stands for.
	 */
	private static ReferenceJson value(byte[] data) {
		ReferenceJson value = ReferenceJson.parse(data);
		return (value != null) ? value : new ReferenceJsonMutator(data).generate();
	}

	/**
	 * Whether a tree can be built. Jackson would guess the encoding and let some of what
	 * is malformed pass, so that it gets characters.
	 */
	private static boolean isTree(byte[] json) {
		String text = new String(json, StandardCharsets.UTF_8);
		if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), json)) {
			return false;
		}
		try {
			return !TREES.readTree(text).isMissingNode();
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	private static byte @Nullable [] digest(byte[] json) {
		return CanonicalJson.digest(json, json.length, Sha256.newDigest());
	}

}
