package dev.idempotency.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import dev.idempotency.digest.Parts;
import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonPointer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is left out of a digest.
 */
class ExclusionTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', emptyValue = "", value = { "/a | {\"a\":1,\"b\":2} | {\"b\":2}",
			"/a | {\"a\":{\"c\":[{}]},\"b\":2} | {\"b\":2}", "/a | {\"b\":{\"a\":1}} | {\"b\":{\"a\":1}}",
			"/b/a | {\"b\":{\"a\":1}} | {\"b\":{}}", "/b/a | {\"b\":{\"b\":{\"a\":1}}} | {\"b\":{\"b\":{\"a\":1}}}",
			"/a/b | {\"a\":1} | {\"a\":1}", "/a/b | {\"a\":[1]} | {\"a\":[1]}", "/a/0 | {\"a\":[1,2]} | {\"a\":[2]}",
			"/a/1 | {\"a\":[1,[2],3]} | {\"a\":[1,3]}", "/a/0 | {\"a\":{\"0\":1}} | {\"a\":{}}",
			"/a/1/b | {\"a\":[{\"b\":1},{\"b\":1}]} | {\"a\":[{\"b\":1},{}]}", "/0 | [[1],2] | [2]",
			"/01 | [1,2] | [1,2]", "/- | [1,2] | [1,2]", "/9 | [1,2] | [1,2]", "/99999999999 | [1] | [1]",
			"/a~1b | {\"a/b\":1} | {}", "/a~0b | {\"a~b\":1} | {}", "/a~01b | {\"a~1b\":1} | {}",
			"/a | {\"\\u0061\":1} | {}", "/ | {\"\":1,\"a\":2} | {\"a\":2}", "// | {\"\":{\"\":1}} | {\"\":{}}",
			"/a | {\"a\":1,\"b\":2,\"a\":3} | {\"b\":2}", "/a | 1 | 1", "/a | [] | []", "/a | {} | {}",
			"/a | {\"a\":null} | {}", "/a /a /a/b | {\"a\":{\"b\":1},\"c\":1} | {\"c\":1}", "/0 /1 | [1,2,3] | [3]",
			"/a/x /b | {\"b\":1,\"a\":{\"x\":2,\"y\":3}} | {\"a\":{\"y\":3}}", "/é | {\"é\":1,\"e\":2} | {\"e\":2}" })
	void leavesOutWhatAPointerLeadsTo(String pointers, String json, String rest) {
		assertThat(digest(json, pointers.split(" "))).isNotNull().isEqualTo(digest(rest));
	}

	@Test
	void leavesOutWhatIsHuge() {
		String rest = ",\"b\":\"%s\"}".formatted("y".repeat(100_000));
		byte[] expected = digest("{" + rest.substring(1));
		for (String huge : List.of("\"" + "x".repeat(1_000_000) + "\"", "[1" + ",1".repeat(300_000) + "]",
				"[".repeat(490) + "]".repeat(490), "9".repeat(100_000))) {
			assertThat(digest("{\"a\":" + huge + rest, "/a")).isNotNull().isEqualTo(expected);
		}
	}

	/**
	 * Also where it is not valid inside of what would be left out.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "", "{", "{\"a\":1", "{\"a\":tru}", "{\"a\":\"\\x\"}", "{\"a\":\"\n\"}", "{\"a\":01}",
			"{\"a\":[1}", "{\"a\":1}}", "{\"a\":1} 2", "{\"a\"}", "{\"a\":}", "{\"a\":[1,]}", "a=1" })
	void countsAllBytesOfWhatIsNotJson(String text) {
		assertThat(digest(text, "/a")).isNull();
		assertThat(added(text, "/a")).isEqualTo(added(text)).isNotEqualTo(added(text + " ", "/a"));
	}

	@Test
	void countsTextsThatAreNestedTooDeeplyInWhatIsLeftOut() {
		assertThat(digest("{\"a\":" + "[".repeat(500) + "]".repeat(500) + "}", "/a")).isNull();
		assertThat(added(new byte[] { '{', '"', 'a', '"', ':', '"', (byte) 0xff, '"', '}' }, "/a"))
			.isNotEqualTo(added(new byte[] { '{', '"', 'a', '"', ':', '"', (byte) 0xfe, '"', '}' }, "/a"));
	}

	@Test
	void makesNoDifferenceWhereItLeadsNowhere() {
		assertThat(added("{\"b\":1}", "/a")).isEqualTo(added("{\"b\":1}"));
	}

	/**
	 * Two texts have the same digest if, and only if, what is left of them is the same.
	 */
	@Test
	void agreesWithTheReferenceAboutAnyText() {
		int equal = 0;
		int different = 0;
		int shortened = 0;
		for (int seed = 0; seed < 6000; seed++) {
			Random random = new Random(seed);
			byte[] choices = new byte[200];
			random.nextBytes(choices);
			ReferenceJson value = new ReferenceJson.Members(
					List.of(new ReferenceJson.Member("a", new ReferenceJsonMutator(choices).generate()),
							new ReferenceJson.Member("b",
									new ReferenceJson.Array(List.of(new ReferenceJsonMutator(choices).generate())))));
			List<String> paths = new ArrayList<>();
			without(value, "", Set.of(), paths);
			Set<String> excluded = new TreeSet<>();
			for (int i = 1 + random.nextInt(4); i > 0; i--) {
				excluded.add(paths.get(random.nextInt(paths.size())) + (random.nextInt(8) == 0 ? "/0" : ""));
			}
			ReferenceJson rest = without(value, "", excluded, new ArrayList<>());
			ReferenceJsonWriter writer = new ReferenceJsonWriter(random);
			byte[] written = writer.write(value);
			byte[] digest = digest(written, excluded);
			String description = "%s without %s".formatted(new String(written, StandardCharsets.UTF_8), excluded);
			assertThat(digest).as(description).isNotNull().isEqualTo(digest(writer.write(rest), Set.of()));
			shortened += rest.canonical().equals(value.canonical()) ? 0 : 1;
			ReferenceJson other = replaced(value, "", paths.get(random.nextInt(paths.size())));
			boolean same = without(other, "", excluded, new ArrayList<>()).canonical().equals(rest.canonical());
			assertThat(Arrays.equals(digest(writer.write(other), excluded), digest)).as(description).isEqualTo(same);
			equal += same ? 1 : 0;
			different += same ? 0 : 1;
		}
		assertThat(List.of(equal, different, shortened)).allMatch((count) -> count > 1000);
	}

	/**
	 * A value without some of its parts.
	 * @param found gets the pointers to all parts
	 */
	private static ReferenceJson without(ReferenceJson value, String path, Set<String> excluded, List<String> found) {
		if (value instanceof ReferenceJson.Members object) {
			List<ReferenceJson.Member> left = new ArrayList<>();
			for (ReferenceJson.Member member : object.members()) {
				String at = path + "/" + member.name().replace("~", "~0").replace("/", "~1");
				found.add(at);
				if (!excluded.contains(at)) {
					left.add(new ReferenceJson.Member(member.name(), without(member.value(), at, excluded, found)));
				}
			}
			return new ReferenceJson.Members(left);
		}
		if (value instanceof ReferenceJson.Array array) {
			List<ReferenceJson> left = new ArrayList<>();
			for (int i = 0; i < array.elements().size(); i++) {
				String at = path + "/" + i;
				found.add(at);
				if (!excluded.contains(at)) {
					left.add(without(array.elements().get(i), at, excluded, found));
				}
			}
			return new ReferenceJson.Array(left);
		}
		return value;
	}

	private static ReferenceJson replaced(ReferenceJson value, String path, String place) {
		if (path.equals(place)) {
			return new ReferenceJson.Text("another");
		}
		if (value instanceof ReferenceJson.Members object) {
			return new ReferenceJson.Members(object.members()
				.stream()
				.map((member) -> new ReferenceJson.Member(member.name(),
						replaced(member.value(), path + "/" + member.name().replace("~", "~0").replace("/", "~1"),
								place)))
				.toList());
		}
		if (value instanceof ReferenceJson.Array array) {
			List<ReferenceJson> elements = new ArrayList<>();
			for (int i = 0; i < array.elements().size(); i++) {
				elements.add(replaced(array.elements().get(i), path + "/" + i, place));
			}
			return new ReferenceJson.Array(elements);
		}
		return value;
	}

	private static byte @Nullable [] digest(String json, String... pointers) {
		return digest(json.getBytes(StandardCharsets.UTF_8), List.of(pointers));
	}

	private static byte @Nullable [] digest(byte[] json, Iterable<String> pointers) {
		List<JsonPointer> excluded = new ArrayList<>();
		pointers.forEach((pointer) -> excluded.add(JsonPointer.compile(pointer)));
		return excluded.isEmpty() ? CanonicalJson.digest(json, json.length, Sha256.newDigest())
				: CanonicalJson.digestOfParsed(json, json.length, excluded);
	}

	private static byte[] added(String text, String... pointers) {
		return added(text.getBytes(StandardCharsets.UTF_8), pointers);
	}

	private static byte[] added(byte[] content, String... pointers) {
		Parts parts = new Parts(64);
		CanonicalJson.addTo(parts, content, content.length, Stream.of(pointers).map(JsonPointer::compile).toList());
		return parts.digest();
	}

}
