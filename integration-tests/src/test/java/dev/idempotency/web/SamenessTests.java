package dev.idempotency.web;

import java.io.IOException;
import java.util.List;

import dev.idempotency.Idempotent;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which content types make two requests the same.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SamenessTests {

	private static final String JSON = "{\"amount\":5}";

	@AutoClose
	private final TestServer canonical = TestServer.start(List.of(WebTestApplication.class, Endpoints.class));

	@AutoClose
	private final TestServer bytes = TestServer.start(List.of(WebTestApplication.class, Endpoints.class),
			"idempotency.http.fingerprint=bytes");

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			# the charset of JSON is UTF-8, whether that is said or not
			application/json                   | application/json;charset=UTF-8
			application/json                   | application/json; charset=utf-8
			application/json                   | application/json; charset="UTF-8"
			application/json;version=2         | application/json;charset=utf-8;version=2
			application/merge-patch+json       | application/merge-patch+json;charset=UTF-8
			# names are the same in any case, and so are charsets
			application/json                   | Application/JSON
			text/plain;charset=utf-8           | TEXT/Plain;Charset=UTF-8
			text/plain;charset=utf-8;Format=a  | text/plain;charset=utf-8;format=a
			# quoted or not
			text/plain;charset=utf-8           | text/plain;charset="utf-8"
			text/plain;charset=utf-8           | text/plain; charset="UTF-8"
			text/plain;a=b                     | text/plain;a="b"
			text/plain;a="b;c=d"               | text/plain;a="\\b;c\\=d"
			# in any order, with any white space
			text/plain;charset=utf-8;a=b       | text/plain;a=b;charset=utf-8
			text/plain;charset=utf-8           | 'text/plain ;   charset=utf-8'
			text/plain                         | text/plain;
			# not understood, but the same
			nonsense                           | nonsense
			""")
	void areTheSame(String one, String other) {
		for (TestServer server : List.of(this.canonical, this.bytes)) {
			assertSame(send(server, one, other));
			assertSame(send(server, other, one));
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			application/json                   | text/plain
			application/json                   | application/problem+json
			application/json                   | application/json;version=2
			application/json;version=1         | application/json;version=2
			# Spring decodes by it
			application/json                   | application/json;charset=iso-8859-1
			# only JSON has a charset of its own
			text/plain                         | text/plain;charset=utf-8
			text/plain;charset=utf-8           | text/plain;charset=utf-16
			# what a value means is not known
			text/plain;a=b                     | text/plain;a=B
			text/plain;a=b                     | text/plain;b=a
			text/plain;a=b                     | text/plain;a="b "
			text/plain;a=b                     | text/plain
			# quotes that say where a value ends
			text/plain;a="b;c=d"               | text/plain;a=b;c=d
			text/plain;a="b\\";c=\\"d"         | text/plain;a="b";c="d"
			nonsense                           | Nonsense
			nonsense                           | text/plain
			""")
	void differ(String one, String other) {
		for (TestServer server : List.of(this.canonical, this.bytes)) {
			assertThat(send(server, one, other).status()).isEqualTo(422);
			assertThat(send(server, other, one).status()).isEqualTo(422);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			{"amount":5}                       | {"amount":5.0}
			{"amount":5}                       | {"amount":0.5e1}
			{"amount":100}                     | {"amount":1E+2}
			[-0]                               | [0.00]
			{"a":1,"b":"\u00e9"}              | { "b" : "\\u00E9", "a" : 1 }
			""")
	void jsonCountsByItsValue(String one, String other) {
		String key = TestServer.newKey();
		assertThat(this.canonical.post("/any").key(key).json(one).send().status()).isEqualTo(200);
		assertSame(this.canonical.post("/any").key(key).json(other).send());
		assertThat(this.bytes.post("/any").key(key).json(one).send().status()).isEqualTo(200);
		assertThat(this.bytes.post("/any").key(key).json(other).send().status()).isEqualTo(422);
	}

	@Test
	void aRequestWithoutATypeDiffersFromOneWithIt() {
		assertSame(send(this.canonical, null, null));
		assertThat(send(this.canonical, null, "application/json").status()).isEqualTo(422);
		assertThat(send(this.canonical, "application/json", null).status()).isEqualTo(422);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			text/plain                         | text/plain
			text/plain                         | TEXT/Plain
			text/plain;charset=utf-8           | text/plain; charset="UTF-8"
			application/json                   | application/json;charset=UTF-8
			application/vnd.a+json             | application/vnd.a+json; charset=utf-8
			                                   |
			""")
	void partsAreTheSame(@Nullable String one, @Nullable String other) {
		assertSame(upload(one, other));
		assertSame(upload(other, one));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			image/png                          | text/html
			application/json                   | application/xml
			text/plain                         | text/plain;charset=utf-8
			text/plain                         |
			text/plain;a="b;c=d"               | text/plain;a=b;c=d
			""")
	void partsDiffer(@Nullable String one, @Nullable String other) {
		assertThat(upload(one, other).status()).isEqualTo(422);
		assertThat(upload(other, one).status()).isEqualTo(422);
	}

	@Test
	void theTypeOfAPartIsNotTakenForItsFileName() {
		String key = TestServer.newKey();
		upload(key, "Multipart/Form-Data; boundary=\"xx\"", "text/plain", "; filename=\"a\"");
		assertSame(upload(key, "multipart/form-data; boundary=xx", "text/plain", "; filename=\"a\""));
		assertThat(upload(key, "multipart/form-data; boundary=xx", "a", "; filename=\"text/plain\"").status())
			.isEqualTo(422);
	}

	private static Answer send(TestServer server, @Nullable String first, @Nullable String second) {
		String key = TestServer.newKey();
		Answer answer = post(server, key, first);
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		return post(server, key, second);
	}

	private static Answer post(TestServer server, String key, @Nullable String type) {
		TestServer.Call call = server.post("/any").key(key);
		return ((type != null) ? call.body(type, JSON) : call).send();
	}

	private Answer upload(@Nullable String first, @Nullable String second) {
		String key = TestServer.newKey();
		Answer answer = upload(key, "multipart/form-data; boundary=xx", first, "; filename=\"a\"");
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		return upload(key, "multipart/form-data; boundary=xx", second, "; filename=\"a\"");
	}

	private Answer upload(String key, String type, @Nullable String partType, String fileName) {
		String body = "--xx\r\nContent-Disposition: form-data; name=\"file\"" + fileName
				+ ((partType != null) ? "\r\nContent-Type: " + partType : "") + "\r\n\r\n{}\r\n--xx--\r\n";
		return this.canonical.post("/upload").key(key).body(type, body).send();
	}

	private static void assertSame(Answer again) {
		assertThat(again.status()).as("%s", again).isEqualTo(200);
		assertThat(again.isReplay()).isTrue();
	}

	@RestController
	record Endpoints(Executions executions) {

		@PostMapping("/any")
		@Idempotent
		String any(HttpServletRequest request) throws IOException {
			return this.executions.next("any") + request.getInputStream().readAllBytes().length;
		}

		@PostMapping("/upload")
		@Idempotent
		String upload(@RequestParam MultipartFile file) {
			return this.executions.next("upload") + file.getSize();
		}

	}

}
