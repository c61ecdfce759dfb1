package dev.idempotency.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;

import com.sun.management.ThreadMXBean;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.http.HttpAnswer.Delivery;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How an answer is written down. Another release, or another instance, reads it.
 */
class HttpAnswerTests {

	private static final HttpAnswer ANSWER = new HttpAnswer(201, Delivery.WHOLE,
			headers("Location", List.of("/things/7"), "X-Item", List.of("first", "grüße ☃ 𝄞"), "X-Empty", List.of("")),
			AnswerBody.of("body".getBytes(StandardCharsets.UTF_8)));

	@Test
	void comesBackAsItWas() {
		for (int seed = 0; seed < 500; seed++) {
			HttpAnswer answer = random(new Random(seed));
			HttpAnswer decoded = decode(encode(answer));
			assertThat(decoded).as("seed %d", seed).isEqualTo(answer);
			assertThat(List.copyOf(decoded.headers().keySet())).as("seed %d", seed)
				.isEqualTo(List.copyOf(answer.headers().keySet()));
		}
	}

	@Test
	void comesBackWithoutHeadersAndBody() {
		HttpAnswer answer = new HttpAnswer(204, Delivery.WHOLE, Map.of(), AnswerBody.empty());
		assertThat(decode(encode(answer))).isEqualTo(answer);
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/json", "application/json;charset=UTF-8", "application/problem+json",
			"text/plain;charset=UTF-8", "text/html;charset=UTF-8", "application/xml", "application/octet-stream",
			"application/pdf" })
	void writesCommonContentTypesInTwoBytes(String type) {
		HttpAnswer without = new HttpAnswer(200, Delivery.WHOLE, Map.of(), AnswerBody.empty());
		HttpAnswer answer = new HttpAnswer(200, Delivery.WHOLE, headers("Content-Type", List.of(type)),
				AnswerBody.empty());
		byte[] encoded = encode(answer);
		assertThat(decode(encoded)).isEqualTo(answer);
		assertThat(encoded).hasSize(encode(without).length + 2);
	}

	@Test
	void knowsTheNumbersOfContentTypesForGood() {
		byte[] encoded = encode(new HttpAnswer(200, Delivery.WHOLE,
				headers("Content-Type", List.of("text/plain;charset=UTF-8")), AnswerBody.empty()));
		assertThat(Arrays.copyOfRange(encoded, encoded.length - 2, encoded.length)).containsExactly(0, 3);
	}

	@Test
	void comesBackWithManyHeaders() {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (int i = 0; i < 20_000; i++) {
			headers.put("X-" + i, List.of("value " + i, "value " + i));
		}
		headers.put("X-Long", List.of("ü".repeat(100_000)));
		headers.put("X-Many", Arrays.asList("a,b,c".repeat(200).split(",", -1)));
		HttpAnswer answer = new HttpAnswer(200, Delivery.STREAMED, headers, AnswerBody.empty());
		assertThat(decode(encode(answer))).isEqualTo(answer);
	}

	@Test
	void comesBackWithALargeBody() {
		byte[] body = new byte[16 * 1024 * 1024 + 1];
		new Random(1).nextBytes(body);
		HttpAnswer answer = new HttpAnswer(200, Delivery.REDIRECT, headers("Location", List.of("/")),
				AnswerBody.of(body));
		assertThat(decode(encode(answer))).isEqualTo(answer);
	}

	@Test
	void writesNoMoreOfAnArrayThanTheBody() {
		byte[] bytes = "a body in a larger array".getBytes(StandardCharsets.UTF_8);
		HttpAnswer answer = new HttpAnswer(200, Delivery.WHOLE, Map.of(), AnswerBody.of(bytes, 2, 4));
		assertThat(decode(encode(answer)).body().toBytes()).asString(StandardCharsets.UTF_8).isEqualTo("body");
	}

	@Test
	void isTheSameInPieces() throws IOException {
		for (int seed = 0; seed < 200; seed++) {
			Random random = new Random(seed);
			byte[][] pieces = new byte[1 + random.nextInt(5)][];
			ByteArrayOutputStream whole = new ByteArrayOutputStream();
			for (int i = 0; i < pieces.length; i++) {
				pieces[i] = new byte[1 + random.nextInt(2_000)];
				random.nextBytes(pieces[i]);
				whole.writeBytes(pieces[i]);
			}
			// The last one may have room left
			int length = whole.size() - random.nextInt(pieces[pieces.length - 1].length);
			byte[] body = Arrays.copyOf(whole.toByteArray(), length);
			HttpAnswer answer = new HttpAnswer(200, Delivery.WHOLE, Map.of(), AnswerBody.ofPieces(pieces, length));
			HttpAnswer inOne = new HttpAnswer(200, Delivery.WHOLE, Map.of(), AnswerBody.of(body));
			assertThat(encode(answer)).as("seed %d", seed).isEqualTo(encode(inOne));
			ByteArrayOutputStream written = new ByteArrayOutputStream();
			answer.body().writeTo(written);
			assertThat(written.toByteArray()).as("seed %d", seed).isEqualTo(body);
		}
	}

	@Test
	void isStoredWithoutACopyOfItsBody() {
		HttpAnswer answer = new HttpAnswer(200, Delivery.WHOLE, Map.of(),
				AnswerBody.ofPieces(new byte[][] { new byte[500_000], new byte[500_000] }, 1_000_000));
		assertThat(answer.encode().size()).isGreaterThan(1_000_000);
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		answer.encode();
		assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
	}

	@Test
	void canBeReadMoreThanOnce() {
		StoredResult stored = ANSWER.encode();
		assertThat(HttpAnswer.decode(stored)).isEqualTo(ANSWER);
		assertThat(HttpAnswer.decode(stored)).isEqualTo(ANSWER);
	}

	/**
	 * When this fails, so do the retries that are under way while the new release is
	 * rolled out: it takes a new format.
	 */
	@Test
	void isWrittenAsEverBefore() {
		assertThat(HexFormat.of().formatHex(encode(ANSWER))).isEqualTo("01" + "5869e84a" + "00" + "00c9" + "03"
				+ "084c6f636174696f6e" + "01" + "092f7468696e67732f37" + "06582d4974656d" + "02" + "056669727374"
				+ "106772c3bcc39f6520e2988320f09d849e" + "07582d456d707479" + "01" + "00" + "626f6479");
	}

	@Test
	void isNotReadWhenItsEndIsMissing() {
		byte[] payload = encode(ANSWER);
		for (int length = 0; length < payload.length; length++) {
			assertDamaged(Arrays.copyOf(payload, length));
		}
	}

	@Test
	void isNotReadWhenSomethingFollowsIt() {
		byte[] payload = encode(ANSWER);
		assertDamaged(Arrays.copyOf(payload, payload.length + 1));
	}

	@Test
	void isNotReadWhenAnyBitOfItHasChanged() {
		byte[] payload = encode(ANSWER);
		for (int bit = Byte.SIZE; bit < payload.length * Byte.SIZE; bit++) {
			byte[] damaged = payload.clone();
			damaged[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
			assertDamaged(damaged);
		}
	}

	@Test
	void isNotReadByAReleaseThatDoesNotKnowItsFormat() {
		byte[] payload = encode(ANSWER);
		for (int format = 0; format <= 0xff; format++) {
			if (format != 1) {
				payload[0] = (byte) format;
				int expected = format;
				assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> decode(payload))
					.withMessageContaining("has format %d,", expected)
					.withMessageContaining("upgrade this instance");
			}
		}
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> decode(new byte[] { 2 }));
	}

	/**
	 * Whoever can write to the store can write the right checksum too.
	 */
	@ParameterizedTest
	@ValueSource(strings = {
			// As many headers, values or characters as there can be
			"00 00c8 ffffff7f", "00 00c8 01 01 41 ffffff7f", "00 00c8 ffffff7f 01 41 ffffff7f", "00 00c8 01 ffffff7f",
			"00 00c8 01 01 41 01 ffffff7f",
			// Numbers that are too large, or have no end
			"00 00c8 ffffffff7f", "00 00c8 ffffffff", "00 00c8 80",
			// Unknown deliveries
			"03 00c8 00", "ff 00c8 00",
			// Nothing at all
			"", "00", "00 00", "00 00c8" })
	void takesNoMoreMemoryThanItDeserves(String hex) {
		byte[] hostile = withChecksum(HexFormat.of().parseHex(hex.replace(" ", "")));
		assertDamaged(hostile);
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long before = threads.getCurrentThreadAllocatedBytes();
		try {
			decode(hostile);
		}
		catch (ResultNotReplayableException ex) {
			assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
		}
	}

	@Test
	void givesNothingButAnAnswerOrItsException() {
		for (int seed = 0; seed < 20_000; seed++) {
			Random random = new Random(seed);
			byte[] payload = encode(ANSWER);
			byte[] rest = Arrays.copyOfRange(payload, 5, payload.length);
			for (int i = random.nextInt(4); i >= 0; i--) {
				rest[random.nextInt(rest.length)] = (byte) random.nextInt();
			}
			try {
				assertThat(decode(withChecksum(rest))).isNotNull();
			}
			catch (ResultNotReplayableException ex) {
				assertThat(ex).hasMessageStartingWith("A stored response is damaged");
			}
		}
	}

	private static byte[] encode(HttpAnswer answer) {
		byte[] frame = answer.encode().toFrame();
		return Arrays.copyOfRange(frame, StoredResult.HEADER, frame.length);
	}

	private static HttpAnswer decode(byte[] payload) {
		return HttpAnswer.decode(StoredResult.of(payload));
	}

	private static byte[] withChecksum(byte[] rest) {
		CRC32C checksum = new CRC32C();
		checksum.update(rest);
		return ByteBuffer.allocate(5 + rest.length).put((byte) 1).putInt((int) checksum.getValue()).put(rest).array();
	}

	private static void assertDamaged(byte[] payload) {
		assertThatExceptionOfType(ResultNotReplayableException.class).isThrownBy(() -> decode(payload))
			.withMessageStartingWith("A stored response is damaged");
	}

	private static HttpAnswer random(Random random) {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (int i = random.nextInt(20); i > 0; i--) {
			List<String> values = new ArrayList<>();
			for (int j = random.nextInt(4); j > 0; j--) {
				values.add(text(random));
			}
			headers.put("X" + text(random), values);
		}
		int[] sizes = { 0, 1, 127, 128, 16_383, 16_384, 100_000 };
		byte[] body = new byte[sizes[random.nextInt(sizes.length)]];
		random.nextBytes(body);
		Delivery[] deliveries = Delivery.values();
		return new HttpAnswer(100 + random.nextInt(900), deliveries[random.nextInt(deliveries.length)], headers,
				AnswerBody.of(body));
	}

	private static String text(Random random) {
		return random.ints(random.nextInt(200), 0, Character.MAX_CODE_POINT + 1)
			.filter((character) -> character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE)
			.collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
			.toString();
	}

	private static Map<String, List<String>> headers(Object... namesAndValues) {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			headers.put((String) namesAndValues[i],
					((List<?>) namesAndValues[i + 1]).stream().map(String.class::cast).toList());
		}
		return headers;
	}

}
