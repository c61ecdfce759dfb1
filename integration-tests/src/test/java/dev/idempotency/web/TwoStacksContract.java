package dev.idempotency.web;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application on servlets and one on WebFlux that share a store: each repeats what the
 * other one has answered.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TwoStacksContract {

	private static final String FORM = "application/x-www-form-urlencoded";

	private static final String MULTIPART = "multipart/form-data; boundary=xx";

	@AutoClose
	private TestServer servlet;

	@AutoClose
	private TestServer reactive;

	@BeforeAll
	void start() {
		String[] properties = store();
		this.servlet = TestServer.start(List.of(WebTestApplication.class, OnServlets.class), properties);
		this.reactive = Reactive.start(List.of(WebTestApplication.class, OnWebFlux.class), properties);
	}

	/**
	 * The settings with which both of them use one store.
	 */
	abstract String[] store();

	private static Stream<Request> requests() {
		return Stream.of(new Request("/shared/json", "application/json", "{\"a\":1,\"b\":[2,3.0]}"),
				new Request("/shared/text", "text/plain", "grüße"), new Request("/shared/created", null, ""),
				new Request("/shared/problem", null, ""), new Request("/shared/empty", null, ""),
				new Request("/shared/list", null, ""), new Request("/shared/bytes", null, ""),
				new Request("/shared/form?item=q", FORM, "amount=5+%E2%82%AC&item=a"),
				new Request("/shared/upload", MULTIPART,
						String.join("\r\n", "--xx",
								"Content-Disposition: form-data; name=\"file\"; filename=\"cat.txt\"",
								"Content-Type: text/plain", "", "content", "--xx",
								"Content-Disposition: form-data; name=\"note\"", "", "grüße", "--xx--", "")),
				new Request("/kinds/entity", null, ""), new Request("/kinds/body", null, ""),
				new Request("/kinds/text", null, ""), new Request("/kinds/void-writer", null, ""),
				new Request("/kinds/view", null, ""), new Request("/kinds/no-content", null, ""),
				new Request("/kinds/send-error", null, ""), new Request("/kinds/not-modified", null, ""),
				new Request("/kinds/advised-exception", null, ""), new Request("/kinds/streaming", null, ""),
				new Request("/kinds/binary", null, ""), new Request("/kinds/large", null, ""),
				new Request("/kinds/route", null, ""));
	}

	@ParameterizedTest
	@MethodSource("requests")
	void webFluxRepeatsWhatServletsHaveAnswered(Request request) {
		assertThatOneRepeatsTheOther(request, this.servlet, this.reactive);
	}

	@ParameterizedTest
	@MethodSource("requests")
	void servletsRepeatWhatWebFluxHasAnswered(Request request) {
		assertThatOneRepeatsTheOther(request, this.reactive, this.servlet);
	}

	private static void assertThatOneRepeatsTheOther(Request request, TestServer one, TestServer other) {
		String key = TestServer.newKey();
		Answer first = request.send(one, key);
		assertThat(first.status()).as("%s", first).isLessThan(500);
		assertThat(first.isReplay()).isFalse();
		assertThat(first.effect()).as("%s", first).isIn("created", "executed");
		Answer here = request.send(one, key);
		here.assertReplayOf(first);
		Answer there = request.send(other, key);
		there.assertExactReplayOf(here);
		assertThat(request.otherwise().send(other, key).status()).isEqualTo(422);
	}

	record Request(String path, @Nullable String type, String body) {

		Answer send(TestServer server, String key) {
			TestServer.Call call = server.post(this.path).key(key);
			return ((this.type != null) ? call.body(this.type, this.body) : call).send();
		}

		/**
		 * A request that is not the same.
		 */
		Request otherwise() {
			return new Request(this.path + (this.path.contains("?") ? "&" : "?") + "other=1", this.type, this.body);
		}

		@Override
		public String toString() {
			return this.path;
		}

	}

	private static ResponseEntity<Object> created() {
		return ResponseEntity.created(URI.create("/things/1"))
			.eTag("\"v1\"")
			.header("X-Item", "first", "second")
			.body(List.of("☃"));
	}

	private static ResponseEntity<ProblemDetail> problem() {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED, "No money");
		problem.setTitle("Broke");
		return ResponseEntity.status(402).contentType(MediaType.APPLICATION_PROBLEM_JSON).body(problem);
	}

	@RestController
	@Idempotent
	static class OnServlets {

		@PostMapping("/shared/json")
		Object json(@RequestBody Object json) {
			return json;
		}

		@PostMapping("/shared/text")
		String text(@RequestBody String text) {
			return text;
		}

		@PostMapping("/shared/created")
		ResponseEntity<Object> create() {
			return created();
		}

		@PostMapping("/shared/problem")
		ResponseEntity<ProblemDetail> refuse() {
			return problem();
		}

		@PostMapping("/shared/empty")
		ResponseEntity<Void> empty() {
			return ResponseEntity.noContent().header("X-Receipt", "1").build();
		}

		@PostMapping("/shared/list")
		List<HandlerKinds.Receipt> list() {
			return List.of(new HandlerKinds.Receipt("a", 1, List.of()), new HandlerKinds.Receipt("b", 2, List.of()));
		}

		@PostMapping("/shared/bytes")
		byte[] bytes() {
			return "bytes".getBytes(StandardCharsets.UTF_8);
		}

		@PostMapping("/shared/form")
		String form(@RequestParam String amount, @RequestParam List<String> item) {
			return amount + item;
		}

		@PostMapping("/shared/upload")
		String upload(@RequestParam MultipartFile file, @RequestParam String note) {
			return file.getOriginalFilename() + note;
		}

	}

	@RestController
	@Idempotent
	static class OnWebFlux {

		@PostMapping("/shared/json")
		Mono<Object> json(@RequestBody Mono<Object> json) {
			return json;
		}

		@PostMapping("/shared/text")
		Mono<String> text(@RequestBody Mono<String> text) {
			return text;
		}

		@PostMapping("/shared/created")
		Mono<ResponseEntity<Object>> create() {
			return Mono.fromCallable(TwoStacksContract::created);
		}

		@PostMapping("/shared/problem")
		Mono<ResponseEntity<ProblemDetail>> refuse() {
			return Mono.fromCallable(TwoStacksContract::problem);
		}

		@PostMapping("/shared/empty")
		Mono<ResponseEntity<Void>> empty() {
			return Mono.just(ResponseEntity.noContent().header("X-Receipt", "1").build());
		}

		@PostMapping("/shared/list")
		Flux<HandlerKinds.Receipt> list() {
			return Flux.just(new HandlerKinds.Receipt("a", 1, List.of()), new HandlerKinds.Receipt("b", 2, List.of()));
		}

		@PostMapping("/shared/bytes")
		Mono<byte[]> bytes() {
			return Mono.fromCallable(() -> "bytes".getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/shared/form")
		Mono<String> form(ServerWebExchange exchange) {
			return exchange.getFormData().map((form) -> form.getFirst("amount") + form.get("item"));
		}

		@PostMapping("/shared/upload")
		Mono<String> upload(@RequestPart FilePart file, @RequestPart String note) {
			return file.content().doOnNext(DataBufferUtils::release).then(Mono.just(file.filename() + note));
		}

	}

}
