package dev.idempotency.json;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.idempotency.IdempotencyKeys;
import dev.idempotency.digest.Sha256;
import dev.idempotency.json.ReferenceJson.Member;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whoever has Java values instead of a text comes to the same conclusion. The keys of
 * {@code forArgs} are another digest, since others make them too, but of the same values.
 */
class ArgumentsTests {

	@Test
	void areTheSameForKeysAndForDigests() {
		int same = 0;
		int different = 0;
		for (int seed = 0; seed < 10_000; seed++) {
			Random random = new Random(seed);
			byte[] choices = new byte[random.nextInt(60)];
			random.nextBytes(choices);
			ReferenceJson one = new ReferenceJsonMutator(choices).generate();
			ReferenceJson other = ReferenceJsonMutator.mutate(one, random);
			if (!hasArguments(one) || !hasArguments(other)) {
				continue;
			}
			ReferenceJsonWriter writer = new ReferenceJsonWriter(random);
			boolean equal = Arrays.equals(digest(writer.write(one)), digest(writer.write(other)));
			assertThat(key(one).equals(key(other))).as("%s and %s", one, other).isEqualTo(equal);
			assertThat(digest(JsonMapper.shared().writeValueAsBytes(argument(one)))).as("%s", one)
				.isNotNull()
				.isEqualTo(digest(writer.write(one)));
			same += equal ? 1 : 0;
			different += equal ? 0 : 1;
		}
		// Neither is rare, or this would test nothing
		assertThat(same).isGreaterThan(500);
		assertThat(different).isGreaterThan(500);
	}

	private static byte @Nullable [] digest(byte[] json) {
		return CanonicalJson.digest(json, json.length, Sha256.newDigest());
	}

	private static String key(ReferenceJson value) {
		return IdempotencyKeys.forArgs("s", Collections.singletonMap("value", argument(value)));
	}

	/**
	 * No name twice, and no half of a surrogate pair.
	 */
	private static boolean hasArguments(ReferenceJson value) {
		if (value instanceof ReferenceJson.Array array) {
			return array.elements().stream().allMatch(ArgumentsTests::hasArguments);
		}
		if (value instanceof ReferenceJson.Members object) {
			return object.members().stream().map(Member::name).distinct().count() == object.members().size()
					&& object.members()
						.stream()
						.allMatch((member) -> isWellFormed(member.name()) && hasArguments(member.value()));
		}
		return !(value instanceof ReferenceJson.Text text) || isWellFormed(text.value());
	}

	private static boolean isWellFormed(String text) {
		return StandardCharsets.UTF_8.newEncoder().canEncode(text);
	}

	private static @Nullable Object argument(ReferenceJson value) {
		if (value instanceof ReferenceJson.Array array) {
			List<@Nullable Object> items = new ArrayList<>();
			array.elements().forEach((element) -> items.add(argument(element)));
			return items;
		}
		if (value instanceof ReferenceJson.Members object) {
			Map<String, @Nullable Object> members = new LinkedHashMap<>();
			object.members().forEach((member) -> members.put(member.name(), argument(member.value())));
			return members;
		}
		if (value instanceof ReferenceJson.Text text) {
			return text.value();
		}
		String plain = ((ReferenceJson.Plain) value).text();
		return switch (plain) {
			case "null" -> null;
			case "true", "false" -> Boolean.valueOf(plain);
			default -> new BigDecimal(plain);
		};
	}

}
