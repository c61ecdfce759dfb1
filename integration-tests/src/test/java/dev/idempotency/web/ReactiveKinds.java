package dev.idempotency.web;

import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.reactive.result.view.RedirectView;
import org.springframework.web.reactive.result.view.Rendering;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * The handlers of {@link HandlerKinds}, with the same paths and answers, as one writes
 * them on WebFlux, and some that only WebFlux has.
 */
abstract class ReactiveKinds {

	/**
	 * With the status of their answer: those which only WebFlux has.
	 */
	static final List<String> MORE = List.of("value 200", "value-entity 201", "flux 200", "flux-entity 202",
			"ndjson 200", "empty-mono 200", "rendering 200", "mono-error 422", "flux-error 422", "delayed 200",
			"buffers 200", "exchange-response 202");

	/**
	 * All of them.
	 */
	static final List<String> KINDS = Stream
		// WebFlux redirects with another status by itself
		.concat(HttpContract.KINDS.stream().map((kind) -> kind.replace("redirect 302", "redirect 303")), MORE.stream())
		.toList();

	private static final Scheduler elsewhere = Schedulers.newBoundedElastic(4, 1000, "elsewhere", 60, true);

	private final Executions executions;

	ReactiveKinds(Executions executions) {
		this.executions = executions;
	}

	/**
	 * With the annotation.
	 */
	@Controller
	@Idempotent
	@RequestMapping("/kinds")
	static class Protected extends ReactiveKinds {

		Protected(Executions executions) {
			super(executions);
		}

	}

	/**
	 * Without.
	 */
	@Controller
	@RequestMapping("/plain")
	static class Plain extends ReactiveKinds {

		Plain(Executions executions) {
			super(executions);
		}

	}

	private Mono<String> next(String name) {
		Mono<String> next = Mono.fromCallable(() -> this.executions.next(name));
		return this.executions.blocks(name) ? next.subscribeOn(Schedulers.boundedElastic()) : next;
	}

	private static DataBuffer buffer(ServerHttpResponse response, String text, Charset charset) {
		byte[] bytes = text.getBytes(charset);
		DataBuffer buffer = response.bufferFactory().allocateBuffer(bytes.length);
		return buffer.write(bytes);
	}

	private static DataBuffer buffer(ServerHttpResponse response, String text) {
		return buffer(response, text, StandardCharsets.UTF_8);
	}

	@PostMapping("/entity")
	Mono<ResponseEntity<Map<String, String>>> entity() {
		return next("entity").map((receipt) -> ResponseEntity.created(URI.create("/things/1"))
			.eTag("\"v1\"")
			.header("X-Item", "first", "second")
			.header("Link", "</a>; rel=\"a\"", "</b>; rel=\"b\"")
			.body(Map.of("receipt", receipt)));
	}

	@PostMapping("/body")
	@ResponseBody
	Mono<HandlerKinds.Receipt> body() {
		return next("body").map((text) -> new HandlerKinds.Receipt(text, 100, List.of("grüße", "☃", "𝄞")));
	}

	@PostMapping(path = "/text", produces = "text/plain;charset=UTF-16BE")
	@ResponseBody
	Mono<String> text() {
		return next("text").map((text) -> text + " grüße ☃ 𝄞");
	}

	@PostMapping("/void-stream")
	Mono<Void> voidStream(ServerHttpResponse response) {
		response.setStatusCode(HttpStatus.ACCEPTED);
		response.getHeaders().setContentType(MediaType.parseMediaType("application/x-odd"));
		return response.writeWith(next("void-stream").flatMapIterable((text) -> List.of(text, "!"))
			.map((text) -> buffer(response, text)));
	}

	@PostMapping("/void-writer")
	Mono<Void> voidWriter(ServerHttpResponse response) {
		response.getHeaders().setContentType(MediaType.parseMediaType("text/plain;charset=ISO-8859-15"));
		return response.writeWith(next("void-writer").flatMapIterable((text) -> List.of(text, " 5 €"))
			.map((text) -> buffer(response, text, Charset.forName("ISO-8859-15"))));
	}

	@PostMapping("/void-length")
	Mono<Void> voidLength(ServerHttpResponse response) {
		return next("void-length").flatMap((text) -> {
			response.getHeaders().setContentLength(text.length());
			return response.writeWith(Mono.fromCallable(() -> buffer(response, text)));
		});
	}

	@PostMapping("/void-flush")
	Mono<Void> voidFlush(ServerHttpResponse response) {
		response.getHeaders().setContentType(MediaType.TEXT_PLAIN);
		return response.writeAndFlushWith(Flux.concat(Mono.just("first, "), next("void-flush"))
			.map((text) -> Mono.fromCallable(() -> buffer(response, text))));
	}

	@PostMapping("/void-bytes")
	Mono<Void> voidBytes(ServerHttpResponse response) {
		return response.writeWith(next("void-bytes").flatMapIterable((text) -> Arrays.asList(text.split("")))
			.map((text) -> buffer(response, text)));
	}

	@PostMapping("/view")
	Mono<Rendering> view() {
		return next("view").map((text) -> Rendering.view("receipt").modelAttribute("receipt", text + " ☃").build());
	}

	@PostMapping("/rendering")
	Rendering rendering() {
		return Rendering.view("receipt")
			.modelAttribute("receipt", this.executions.next("rendering"))
			.header("X-Kept", "kept")
			.build();
	}

	@PostMapping("/redirect")
	Mono<String> redirect() {
		return next("redirect").map((text) -> "redirect:/elsewhere?receipt=" + text.hashCode());
	}

	@PostMapping("/see-other")
	Mono<RedirectView> seeOther() {
		return next("see-other").map((text) -> new RedirectView("/elsewhere?receipt=" + text.hashCode()));
	}

	@PostMapping("/send-redirect")
	Mono<Void> sendRedirect(ServerHttpResponse response) {
		return next("send-redirect").flatMap((text) -> {
			response.getHeaders().add("X-Kept", "kept");
			response.getHeaders().setLocation(URI.create("/elsewhere?receipt=" + text.hashCode()));
			response.setStatusCode(HttpStatus.TEMPORARY_REDIRECT);
			return response.setComplete();
		});
	}

	@PostMapping("/no-content")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	Mono<Void> noContent(ServerHttpResponse response) {
		return next("no-content").doOnNext((text) -> response.getHeaders().set("X-Receipt", text)).then();
	}

	@PostMapping("/not-modified")
	Mono<ResponseEntity<Void>> notModified() {
		return next("not-modified")
			.map((text) -> ResponseEntity.status(304).eTag("\"" + text.hashCode() + "\"").build());
	}

	@PostMapping("/empty")
	Mono<ResponseEntity<Void>> empty() {
		return next("empty").map((text) -> ResponseEntity.ok().header("X-Receipt", text).build());
	}

	@PostMapping("/empty-mono")
	@ResponseBody
	Mono<String> emptyMono(ServerHttpResponse response) {
		return next("empty-mono").doOnNext((text) -> response.getHeaders().set("X-Receipt", text))
			.filter((text) -> text.isEmpty());
	}

	@PostMapping("/send-error")
	Mono<Void> sendError(ServerHttpResponse response) {
		return next("send-error").flatMap((text) -> {
			response.getHeaders().set("X-Receipt", text);
			return Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND, "nothing there"));
		});
	}

	@PostMapping("/status-exception")
	@ResponseBody
	Mono<String> statusException() {
		throw new ResponseStatusException(HttpStatus.GONE, this.executions.next("status-exception"));
	}

	@PostMapping("/annotated-exception")
	@ResponseBody
	Mono<String> annotatedException() {
		return next("annotated-exception").flatMap((text) -> Mono.error(new HandlerKinds.BrokeException()));
	}

	@PostMapping("/advised-exception")
	@ResponseBody
	String advisedException() {
		throw new HandlerKinds.AdvisedException(this.executions.next("advised-exception"));
	}

	@PostMapping("/mono-error")
	@ResponseBody
	Mono<String> monoError() {
		return next("mono-error").flatMap((text) -> Mono.error(new HandlerKinds.AdvisedException(text)));
	}

	@PostMapping("/flux-error")
	@ResponseBody
	Flux<HandlerKinds.Receipt> fluxError() {
		return next("flux-error").flatMapMany((text) -> Flux.error(new HandlerKinds.AdvisedException(text)));
	}

	@PostMapping("/callable")
	@ResponseBody
	Mono<HandlerKinds.Receipt> callable() {
		return next("callable").subscribeOn(elsewhere).map((text) -> new HandlerKinds.Receipt(text, 1, List.of()));
	}

	@PostMapping("/callable-exception")
	@ResponseBody
	Mono<HandlerKinds.Receipt> callableException() {
		// Reactor may interrupt the thread of fromCallable() while it writes the response
		return Mono.<HandlerKinds.Receipt>defer(
				() -> Mono.error(new HandlerKinds.AdvisedException(this.executions.next("callable-exception"))))
			.subscribeOn(elsewhere);
	}

	@PostMapping("/deferred")
	@ResponseBody
	Mono<ResponseEntity<String>> deferred() {
		return Mono.create((sink) -> elsewhere.schedule(() -> sink
			.success(ResponseEntity.status(201).header("X-Kept", "kept").body(this.executions.next("deferred")))));
	}

	@PostMapping("/deferred-error")
	@ResponseBody
	Mono<String> deferredError() {
		return Mono.create((sink) -> elsewhere.schedule(() -> sink
			.error(new ResponseStatusException(HttpStatus.GONE, this.executions.next("deferred-error")))));
	}

	@PostMapping("/future")
	@ResponseBody
	CompletableFuture<HandlerKinds.Receipt> future() {
		return CompletableFuture
			.supplyAsync(() -> new HandlerKinds.Receipt(this.executions.next("future"), 2, List.of()));
	}

	@PostMapping("/task")
	@ResponseBody
	Mono<String> task() {
		return next("task").subscribeOn(elsewhere).timeout(Duration.ofSeconds(5));
	}

	@PostMapping("/delayed")
	@ResponseBody
	Mono<String> delayed() {
		return Mono.delay(Duration.ofMillis(10)).then(next("delayed"));
	}

	@PostMapping("/value")
	@ResponseBody
	HandlerKinds.Receipt value() {
		return new HandlerKinds.Receipt(this.executions.next("value"), 3, List.of());
	}

	@PostMapping("/value-entity")
	ResponseEntity<Mono<String>> valueEntity() {
		return ResponseEntity.created(URI.create("/things/2"))
			.header("X-Kept", "kept")
			.body(next("value-entity").subscribeOn(elsewhere));
	}

	@PostMapping("/flux")
	@ResponseBody
	Flux<HandlerKinds.Receipt> flux() {
		return next("flux").flatMapMany(
				(text) -> Flux.range(1, 100).map((number) -> new HandlerKinds.Receipt(text, number, List.of())));
	}

	@PostMapping("/flux-entity")
	Mono<ResponseEntity<Flux<HandlerKinds.Receipt>>> fluxEntity() {
		return next("flux-entity").map((text) -> ResponseEntity.accepted()
			.header("X-Kept", "kept")
			.body(Flux.range(1, 3).map((number) -> new HandlerKinds.Receipt(text, number, List.of()))));
	}

	@PostMapping(path = "/ndjson", produces = MediaType.APPLICATION_NDJSON_VALUE)
	@ResponseBody
	Flux<HandlerKinds.Receipt> ndjson() {
		return next("ndjson").flatMapMany((text) -> Flux.range(1, 3)
			.publishOn(elsewhere)
			.map((number) -> new HandlerKinds.Receipt(text, number, List.of())));
	}

	@PostMapping("/buffers")
	@ResponseBody
	Flux<DataBuffer> buffers(ServerHttpResponse response) {
		return Flux.concat(Mono.just("begin "), next("buffers"), Mono.just(" end"))
			.map((text) -> buffer(response, text));
	}

	@PostMapping("/exchange-response")
	Mono<Void> exchange(ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		response.setRawStatusCode(202);
		response.beforeCommit(() -> {
			response.getHeaders().set("X-Late", "late");
			return Mono.empty();
		});
		return response.writeWith(next("exchange-response").map((text) -> buffer(response, text)));
	}

	@PostMapping("/streaming")
	ResponseEntity<Flux<DataBuffer>> streaming(ServerHttpResponse response) {
		return ResponseEntity.accepted()
			.contentType(MediaType.TEXT_PLAIN)
			.body(Flux.concat(Mono.just("begin "), next("streaming").subscribeOn(elsewhere))
				.map((text) -> buffer(response, text)));
	}

	@PostMapping(path = "/emitter", produces = "text/plain")
	@ResponseBody
	Flux<String> emitter() {
		return Flux.create((sink) -> elsewhere.schedule(() -> {
			sink.next("begin ");
			sink.next(this.executions.next("emitter"));
			sink.complete();
		}));
	}

	@PostMapping("/sse")
	@ResponseBody
	Flux<ServerSentEvent<String>> sse() {
		return emit("sse");
	}

	/**
	 * Stored, if the settings say so.
	 */
	@PostMapping("/events")
	@ResponseBody
	Flux<ServerSentEvent<String>> events() {
		return emit("events");
	}

	private Flux<ServerSentEvent<String>> emit(String name) {
		return next(name).subscribeOn(elsewhere)
			.flux()
			.map((text) -> ServerSentEvent.builder(text).event("receipt").build());
	}

	/**
	 * Writes the answer itself, piece by piece, on another thread.
	 */
	@PostMapping({ "/rawest-async", "/raw-async" })
	Mono<Void> rawAsync(ServerHttpRequest request, ServerHttpResponse response) {
		String path = request.getPath().value();
		response.getHeaders().setContentType(MediaType.TEXT_PLAIN);
		return response.writeAndFlushWith(next(path.substring(path.lastIndexOf('/') + 1)).subscribeOn(elsewhere)
			.map((text) -> Mono.fromCallable(() -> buffer(response, text))));
	}

	@PostMapping("/binary")
	Mono<ResponseEntity<byte[]>> binary() {
		return next("binary").map((text) -> {
			byte[] bytes = new byte[64 * 1024];
			new Random(text.hashCode()).nextBytes(bytes);
			return ResponseEntity.ok().contentType(MediaType.APPLICATION_OCTET_STREAM).body(bytes);
		});
	}

	@PostMapping("/resource")
	Mono<ResponseEntity<Resource>> resource() {
		return next("resource").map((text) -> ResponseEntity.ok()
			.header("Content-Disposition", "attachment; filename=\"receipt.bin\"")
			.body(new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8))));
	}

	@PostMapping("/large")
	Mono<ResponseEntity<byte[]>> large() {
		return next("large").map((text) -> {
			byte[] bytes = new byte[HandlerKinds.LARGE];
			Arrays.fill(bytes, (byte) ('a' + Math.floorMod(text.hashCode(), 26)));
			return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(bytes);
		});
	}

	/**
	 * The parameters of the query and of the form, as on servlets.
	 */
	@PostMapping("/form")
	@ResponseBody
	Mono<String> form(ServerWebExchange exchange) {
		List<String> first = exchange.getRequest().getQueryParams().getOrDefault("item", List.of());
		return exchange.getFormData().map((form) -> {
			List<String> items = Stream.concat(first.stream(), form.getOrDefault("item", List.of()).stream()).toList();
			return "%s for %s: %s".formatted(form.getFirst("amount"), items, this.executions.next("form"));
		});
	}

	@PostMapping("/upload")
	@ResponseBody
	Mono<String> upload(@RequestPart FilePart file, @RequestPart String note) {
		return DataBufferUtils.join(file.content()).map((buffer) -> {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.read(bytes);
			DataBufferUtils.release(buffer);
			return "%s %s %s %s: %s".formatted(file.filename(), bytes.length, note, Arrays.hashCode(bytes),
					this.executions.next("upload"));
		});
	}

	@PostMapping("/echo")
	@ResponseBody
	Mono<String> echo(ServerHttpRequest request) {
		return DataBufferUtils.join(request.getBody()).map((buffer) -> {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.read(bytes);
			DataBufferUtils.release(buffer);
			return "%d bytes %d: %s".formatted(bytes.length, Arrays.hashCode(bytes), this.executions.next("echo"));
		});
	}

	@PostMapping("/orders/{id}/capture")
	@ResponseBody
	Mono<String> capture(@PathVariable String id, @RequestParam(defaultValue = "0") int amount) {
		return next("capture").map((text) -> "%s %s: %s".formatted(id, amount, text));
	}

	@PostMapping("/json")
	@ResponseBody
	Mono<Map<String, Object>> json(@RequestBody Mono<Map<String, Object>> order) {
		return order.map((it) -> Map.of("order", it, "receipt", this.executions.next("json")));
	}

	@PutMapping("/thing")
	@ResponseBody
	Mono<String> put() {
		return next("put");
	}

	@DeleteMapping("/thing")
	Mono<ResponseEntity<Void>> delete() {
		return next("delete").map((text) -> ResponseEntity.noContent().build());
	}

}
