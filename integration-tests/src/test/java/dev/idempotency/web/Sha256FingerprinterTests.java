package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.Fingerprint;
import dev.idempotency.digest.Sha256;
import dev.idempotency.http.RequestContent;
import dev.idempotency.http.RequestFacts;
import dev.idempotency.http.RequestFingerprinter;
import dev.idempotency.json.CanonicalJson;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.MediaType;
import org.springframework.http.HttpHeaders;
import org.springframework.mock.web.MockHttpServletRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fingerprints are stored. When a test here fails, keys that are in use during an upgrade
 * answer 422 to honest retries. The format may change until the first release, and did:
 * content types have one form for all that mean the same, parts have their types, and
 * everything has its length before it.
 */
class Sha256FingerprinterTests {

	private static final String JSON = "{\"amount\":5,\"currency\":\"EUR\"}";

	private static final RequestFingerprinter BYTES = RequestFingerprinter.bytes();

	private static final RequestFingerprinter CANONICAL = RequestFingerprinter.canonicalJson();

	@Test
	void isTheDigestOfTheHeadAndTheBytes() throws IOException {
		assertThat(BYTES.fingerprint(request("/payments", "a=1", "text/plain"), body(JSON)))
			.isEqualTo(expected("POST", "/payments", "a=1", "text/plain", "bytes", bytes(JSON)));
	}

	@Test
	void isTheDigestOfTheHeadAndOfTheCanonicalJson() throws IOException {
		assertThat(CANONICAL.fingerprint(request("/payments", "", "application/json"), body(JSON)))
			.isEqualTo(expected("POST", "/payments", "", "application/json", "json", canonical(JSON)));
	}

	@Test
	void tellsWhatIsAbsentFromWhatIsEmpty() throws IOException {
		assertThat(BYTES.fingerprint(request("/payments", null, null), body("")))
			.isEqualTo(expected("POST", "/payments", null, null, "bytes", bytes("")))
			.isNotEqualTo(BYTES.fingerprint(request("/payments", "", null), body("")));
	}

	@ParameterizedTest
	@CsvSource({ "application/json, application/json", "Application/JSON, application/json",
			"application/json;charset=UTF-8, application/json", "application/json; charset=\"utf-8\", application/json",
			"application/json;charset=UTF-16, application/json;charset=utf-16",
			"application/json; Version=2; A=1, application/json;a=1;version=2",
			"application/json; b=2; A=1; C=3, application/json;a=1;b=2;c=3",
			"application/json; a=\"1;b\\\"\", application/json;a=\"1;b\\\"\"",
			"application/problem+json;charset=utf-8, application/problem+json", "text/json, text/json" })
	void knowsJsonByItsTypeHoweverThatIsWritten(String type, String normalized) throws IOException {
		assertThat(CANONICAL.fingerprint(request("/payments", null, type), body(JSON)))
			.isEqualTo(expected("POST", "/payments", null, normalized, "json", canonical(JSON)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "application/jsonl", "nonsense", "" })
	void takesTheBytesOfWhatIsNotCalledJson(String type) throws IOException {
		assertThat(CANONICAL.fingerprint(request("/payments", null, type), body(JSON)))
			.isEqualTo(expected("POST", "/payments", null, type, "bytes", bytes(JSON)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "{} {}" })
	void takesTheBytesOfWhatIsCalledJsonAndIsNot(String body) throws IOException {
		assertThat(CANONICAL.fingerprint(request("/payments", null, "application/json"), body(body)))
			.isEqualTo(expected("POST", "/payments", null, "application/json", "bytes", bytes(body)));
	}

	@Test
	void takesOnlyAsManyBytesAsThereAre() throws IOException {
		byte[] buffer = bytes(JSON + "garbage");
		RequestContent content = new RequestContent.Body(buffer, JSON.length());
		assertThat(BYTES.fingerprint(request("/payments", null, "text/plain"), content))
			.isEqualTo(expected("POST", "/payments", null, "text/plain", "bytes", bytes(JSON)));
		assertThat(CANONICAL.fingerprint(request("/payments", null, "application/json"), content))
			.isEqualTo(expected("POST", "/payments", null, "application/json", "json", canonical(JSON)));
	}

	@Test
	void doesNotMindHowLongTheHeadIs() throws IOException {
		for (int length = 0; length < 600; length++) {
			String path = "/" + "p".repeat(length);
			String query = "q".repeat(length / 2);
			assertThat(CANONICAL.fingerprint(request(path, query, "application/json"), body(JSON)))
				.isEqualTo(expected("POST", path, query, "application/json", "json", canonical(JSON)));
			assertThat(BYTES.fingerprint(request(path, query, "text/plain"), body(path)))
				.isEqualTo(expected("POST", path, query, "text/plain", "bytes", bytes(path)));
		}
	}

	@Test
	void takesTextsInUtf8() throws IOException {
		List<String> queries = new ArrayList<>(List.of("\u007f", "\u0080", "\u20ac", "\ud83d\ude00"));
		for (int length = 0; length < 300; length++) {
			queries.add("q".repeat(length) + "\u00e9");
		}
		for (String query : queries) {
			assertThat(BYTES.fingerprint(request("/\u00e9", query, "text/plain"), body(JSON)))
				.isEqualTo(expected("POST", "/\u00e9", query, "text/plain", "bytes", bytes(JSON)));
		}
	}

	@Test
	void isTheDigestOfTheParametersOfAForm() throws IOException {
		Map<String, String[]> parameters = new LinkedHashMap<>();
		parameters.put("b", new String[] { "2", "", "\u20ac" });
		parameters.put("a", new String[] { "1".repeat(1000) });
		parameters.put("", new String[0]);
		String type = "application/x-www-form-urlencoded";
		assertThat(CANONICAL.fingerprint(request("/payments", null, type), new RequestContent.Form(parameters)))
			.isEqualTo(expected("POST", "/payments", null, type, "form", "", null, "a", "1".repeat(1000), "b", "2", "b",
					"", "b", "\u20ac"));
	}

	@Test
	void isTheDigestOfTheDigestsOfParts() throws IOException {
		byte[] large = new byte[20_000];
		RequestContent content = new RequestContent.Multipart(
				List.of(new RequestContent.Part("file", "a.png", "image/png;V=A", new ByteArrayResource(large)),
						new RequestContent.Part("note", null, null, new ByteArrayResource(bytes("n")))));
		assertThat(CANONICAL.fingerprint(request("/payments", null, "multipart/form-data; boundary=x"), content))
			.isEqualTo(expected("POST", "/payments", null, "multipart/form-data", "part", "file", "a.png",
					"image/png;v=A", Fingerprint.sha256(large).toBytes(), "part", "note", null, null,
					Fingerprint.sha256(bytes("n")).toBytes()));
	}

	@Test
	void leavesOutTheTokenAgainstForgedRequestsAndNothingElse() throws IOException {
		String form = "application/x-www-form-urlencoded";
		RequestContent plain = form("a", "1");
		assertThat(digest(null, form, form("a", "1", "_csrf", "x"))).isEqualTo(digest(null, form, plain));
		for (String name : List.of("_CSRF", "_csrf ", "csrf", "_csrf_header", "x")) {
			assertThat(digest(null, form, form("a", "1", name, "x"))).as(name).isNotEqualTo(digest(null, form, plain));
		}
		assertThat(digest("_csrf=x", form, form("a", "1", "_csrf", "x"))).isNotEqualTo(digest(null, form, plain));
		assertThat(digest(null, "application/json", body("{\"_csrf\":1}")))
			.isNotEqualTo(digest(null, "application/json", body("{}")));
		String upload = "multipart/form-data";
		RequestContent.Part note = part("note", null);
		Fingerprint noted = digest(null, upload, new RequestContent.Multipart(List.of(note)));
		assertThat(digest(null, upload, new RequestContent.Multipart(List.of(part("_csrf", null), note))))
			.isEqualTo(noted);
		for (RequestContent.Part other : List.of(part("_csrf", "a.png"), part("_csrf", ""), part("_CSRF", null))) {
			assertThat(digest(null, upload, new RequestContent.Multipart(List.of(other, note)))).as("%s", other)
				.isNotEqualTo(noted);
		}
	}

	private static Fingerprint digest(@Nullable String query, String type, RequestContent content) throws IOException {
		return CANONICAL.fingerprint(request("/payments", query, type), content);
	}

	private static RequestContent form(String... namesAndValues) {
		Map<String, String[]> parameters = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			parameters.put(namesAndValues[i], new String[] { namesAndValues[i + 1] });
		}
		return new RequestContent.Form(parameters);
	}

	private static RequestContent.Part part(String name, @Nullable String fileName) {
		return new RequestContent.Part(name, fileName, null, new ByteArrayResource(bytes("content")));
	}

	private static RequestFacts request(String path, @Nullable String query, @Nullable String type) {
		MockHttpServletRequest request = new MockHttpServletRequest("POST", path) {

			@Override
			public @Nullable String getHeader(String name) {
				return name.equals(HttpHeaders.CONTENT_TYPE) ? type : super.getHeader(name);
			}

		};
		request.setQueryString(query);
		return Facts.of(request);
	}

	private static RequestContent body(String body) {
		return new RequestContent.Body(bytes(body), bytes(body).length);
	}

	/**
	 * The format, as plainly as it can be said.
	 */
	private static Fingerprint expected(@Nullable Object... parts) throws IOException {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(all);
		for (Object part : parts) {
			if (part == null) {
				out.writeInt(-1);
			}
			else {
				byte[] bytes = (part instanceof String text) ? bytes(text) : (byte[]) part;
				out.writeInt(bytes.length);
				out.write(bytes);
			}
		}
		return Fingerprint.sha256(all.toByteArray());
	}

	private static byte[] canonical(String json) {
		byte[] digest = CanonicalJson.digest(bytes(json), bytes(json).length, Sha256.newDigest());
		assertThat(digest).isNotNull();
		return (digest != null) ? digest : new byte[0];
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
