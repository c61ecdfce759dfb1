package dev.idempotency.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

import dev.idempotency.Idempotent;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.servlet.view.RedirectView;

/**
 * One handler of each kind. {@link Protected} has them under {@code /kinds} with the
 * annotation, {@link Plain} under {@code /plain} without.
 */
abstract class HandlerKinds {

	static final int LARGE = 3 * 1024 * 1024;

	private static final Executor elsewhere = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "elsewhere");
		thread.setDaemon(true);
		return thread;
	});

	private final Executions executions;

	HandlerKinds(Executions executions) {
		this.executions = executions;
	}

	/**
	 * With the annotation.
	 */
	@Controller
	@Idempotent
	@RequestMapping("/kinds")
	static class Protected extends HandlerKinds {

		Protected(Executions executions) {
			super(executions);
		}

	}

	/**
	 * Without.
	 */
	@Controller
	@RequestMapping("/plain")
	static class Plain extends HandlerKinds {

		Plain(Executions executions) {
			super(executions);
		}

	}

	@PostMapping("/entity")
	ResponseEntity<Map<String, String>> entity() {
		return ResponseEntity.created(URI.create("/things/1"))
			.eTag("\"v1\"")
			.header("X-Item", "first", "second")
			.header("Link", "</a>; rel=\"a\"", "</b>; rel=\"b\"")
			.body(Map.of("receipt", this.executions.next("entity")));
	}

	record Receipt(String text, int amount, List<String> items) {
	}

	@PostMapping("/body")
	@ResponseBody
	Receipt body() {
		return new Receipt(this.executions.next("body"), 100, List.of("grüße", "☃", "𝄞"));
	}

	@PostMapping(path = "/text", produces = "text/plain;charset=UTF-16BE")
	@ResponseBody
	String text() {
		return this.executions.next("text") + " grüße ☃ 𝄞";
	}

	@PostMapping("/void-stream")
	void voidStream(HttpServletResponse response) throws IOException {
		response.setStatus(202);
		response.setContentType("application/x-odd");
		OutputStream out = response.getOutputStream();
		out.write(this.executions.next("void-stream").getBytes(StandardCharsets.UTF_8));
		out.write('!');
		out.close();
	}

	@PostMapping("/void-writer")
	void voidWriter(HttpServletResponse response) throws IOException {
		response.setContentType("text/plain");
		response.setCharacterEncoding("ISO-8859-15");
		PrintWriter writer = response.getWriter();
		writer.print(this.executions.next("void-writer"));
		writer.print(" 5 €");
	}

	@PostMapping("/void-length")
	void voidLength(HttpServletResponse response) throws IOException {
		byte[] bytes = this.executions.next("void-length").getBytes(StandardCharsets.UTF_8);
		response.setContentLength(bytes.length);
		response.getOutputStream().write(bytes);
		response.flushBuffer();
	}

	@PostMapping("/void-flush")
	void voidFlush(HttpServletResponse response) throws IOException {
		response.setContentType("text/plain");
		response.getOutputStream().write("first, ".getBytes(StandardCharsets.UTF_8));
		response.flushBuffer();
		response.getOutputStream().write(this.executions.next("void-flush").getBytes(StandardCharsets.UTF_8));
	}

	@PostMapping("/void-bytes")
	void voidBytes(OutputStream out) throws IOException {
		for (byte b : this.executions.next("void-bytes").getBytes(StandardCharsets.UTF_8)) {
			out.write(b);
		}
	}

	@PostMapping("/view")
	ModelAndView view() {
		return new ModelAndView("receipt", Map.of("receipt", this.executions.next("view") + " ☃"));
	}

	@PostMapping("/redirect")
	String redirect() {
		return "redirect:/elsewhere?receipt=" + this.executions.next("redirect").hashCode();
	}

	@PostMapping("/see-other")
	RedirectView seeOther() {
		RedirectView view = new RedirectView("/elsewhere?receipt=" + this.executions.next("see-other").hashCode());
		view.setStatusCode(HttpStatus.SEE_OTHER);
		return view;
	}

	@PostMapping("/send-redirect")
	void sendRedirect(HttpServletResponse response) throws IOException {
		response.addHeader("X-Kept", "kept");
		response.sendRedirect("/elsewhere?receipt=" + this.executions.next("send-redirect").hashCode(), 307);
		// Servers have sent it by now
		response.flushBuffer();
	}

	@PostMapping("/no-content")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void noContent(HttpServletResponse response) {
		response.setHeader("X-Receipt", this.executions.next("no-content"));
	}

	@PostMapping("/not-modified")
	ResponseEntity<Void> notModified() {
		return ResponseEntity.status(304).eTag("\"" + this.executions.next("not-modified").hashCode() + "\"").build();
	}

	@PostMapping("/empty")
	ResponseEntity<Void> empty() {
		return ResponseEntity.ok().header("X-Receipt", this.executions.next("empty")).build();
	}

	@PostMapping("/send-error")
	void sendError(HttpServletResponse response) throws IOException {
		response.setHeader("X-Receipt", this.executions.next("send-error"));
		response.sendError(404, "nothing there");
	}

	@PostMapping("/status-exception")
	@ResponseBody
	String statusException() {
		throw new ResponseStatusException(HttpStatus.GONE, this.executions.next("status-exception"));
	}

	@ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
	static class BrokeException extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

	@PostMapping("/annotated-exception")
	@ResponseBody
	String annotatedException() {
		this.executions.next("annotated-exception");
		throw new BrokeException();
	}

	static class AdvisedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		AdvisedException(String message) {
			super(message);
		}

	}

	@PostMapping("/advised-exception")
	@ResponseBody
	String advisedException() {
		throw new AdvisedException(this.executions.next("advised-exception"));
	}

	/**
	 * Maps an exception to an answer.
	 */
	@RestControllerAdvice
	static class Advice {

		@ExceptionHandler
		ResponseEntity<Map<String, String>> handle(AdvisedException ex) {
			return ResponseEntity.status(423 - 1)
				.header("X-Advised", "yes")
				.body(Map.of("error", "" + ex.getMessage()));
		}

	}

	@PostMapping("/callable")
	@ResponseBody
	Callable<Receipt> callable() {
		return () -> new Receipt(this.executions.next("callable"), 1, List.of());
	}

	@PostMapping("/callable-exception")
	@ResponseBody
	Callable<Receipt> callableException() {
		return () -> {
			throw new AdvisedException(this.executions.next("callable-exception"));
		};
	}

	@PostMapping("/deferred")
	@ResponseBody
	DeferredResult<ResponseEntity<String>> deferred() {
		DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
		elsewhere.execute(() -> result
			.setResult(ResponseEntity.status(201).header("X-Kept", "kept").body(this.executions.next("deferred"))));
		return result;
	}

	@PostMapping("/deferred-error")
	@ResponseBody
	DeferredResult<String> deferredError() {
		DeferredResult<String> result = new DeferredResult<>();
		elsewhere.execute(() -> result
			.setErrorResult(new ResponseStatusException(HttpStatus.GONE, this.executions.next("deferred-error"))));
		return result;
	}

	@PostMapping("/future")
	@ResponseBody
	CompletableFuture<Receipt> future() {
		return CompletableFuture.supplyAsync(() -> new Receipt(this.executions.next("future"), 2, List.of()),
				elsewhere);
	}

	@PostMapping("/task")
	@ResponseBody
	WebAsyncTask<String> task() {
		return new WebAsyncTask<>(5000L, () -> this.executions.next("task"));
	}

	@PostMapping("/streaming")
	ResponseEntity<StreamingResponseBody> streaming() {
		return ResponseEntity.accepted().contentType(MediaType.TEXT_PLAIN).body((out) -> {
			out.write("begin ".getBytes(StandardCharsets.UTF_8));
			out.flush();
			out.write(this.executions.next("streaming").getBytes(StandardCharsets.UTF_8));
		});
	}

	@PostMapping("/emitter")
	ResponseBodyEmitter emitter() {
		ResponseBodyEmitter emitter = new ResponseBodyEmitter();
		elsewhere.execute(() -> {
			try {
				emitter.send("begin ", MediaType.TEXT_PLAIN);
				emitter.send(this.executions.next("emitter"), MediaType.TEXT_PLAIN);
				emitter.complete();
			}
			catch (IOException ex) {
				emitter.completeWithError(ex);
			}
			catch (IllegalStateException ex) {
				// Its client is gone, and the container has ended the request already
			}
		});
		return emitter;
	}

	@PostMapping("/sse")
	SseEmitter sse() {
		return emit("sse");
	}

	/**
	 * Stored, if the settings say so.
	 */
	@PostMapping("/events")
	SseEmitter events() {
		return emit("events");
	}

	private SseEmitter emit(String name) {
		SseEmitter emitter = new SseEmitter();
		elsewhere.execute(() -> {
			try {
				emitter.send(SseEmitter.event().name("receipt").data(this.executions.next(name)));
				emitter.complete();
			}
			catch (IOException ex) {
				emitter.completeWithError(ex);
			}
		});
		return emitter;
	}

	@PostMapping("/raw-async")
	void rawAsync(HttpServletRequest request, HttpServletResponse response) {
		writeElsewhere(request.startAsync(request, response), "raw-async");
	}

	/**
	 * Goes past the response wrappers of all filters.
	 */
	@PostMapping("/rawest-async")
	void rawestAsync(HttpServletRequest request, HttpServletResponse response) {
		writeElsewhere(request.startAsync(), "rawest-async");
	}

	/**
	 * Writes piece by piece, on a thread of its own.
	 */
	@PostMapping("/raw-pieces")
	void rawPieces(HttpServletRequest request, HttpServletResponse response) {
		AsyncContext context = request.startAsync(request, response);
		elsewhere.execute(() -> writePieces(context, "raw-pieces"));
	}

	/**
	 * Writes piece by piece, on a thread of the container's.
	 */
	@PostMapping("/started")
	void started(HttpServletRequest request, HttpServletResponse response) {
		AsyncContext context = request.startAsync();
		context.start(() -> writePieces(context, "started"));
	}

	private void writePieces(AsyncContext context, String name) {
		try {
			HttpServletResponse response = (HttpServletResponse) context.getResponse();
			response.setContentType("text/plain");
			response.setHeader("X-Kind", name);
			response.getOutputStream().write("begin ".getBytes(StandardCharsets.UTF_8));
			response.flushBuffer();
			response.getOutputStream().write(this.executions.next(name).getBytes(StandardCharsets.UTF_8));
			response.flushBuffer();
			response.getOutputStream().write(" end".getBytes(StandardCharsets.UTF_8));
			context.complete();
		}
		catch (IOException | IllegalStateException ex) {
			// The client is gone, and the container has ended the request
		}
	}

	private void writeElsewhere(AsyncContext context, String name) {
		elsewhere.execute(() -> {
			try {
				context.getResponse().setContentType("text/plain");
				context.getResponse().getWriter().print(this.executions.next(name));
				context.complete();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	@PostMapping("/binary")
	@ResponseBody
	ResponseEntity<byte[]> binary() {
		byte[] bytes = new byte[64 * 1024];
		new Random(this.executions.next("binary").hashCode()).nextBytes(bytes);
		return ResponseEntity.ok().contentType(MediaType.APPLICATION_OCTET_STREAM).body(bytes);
	}

	@PostMapping("/resource")
	ResponseEntity<Resource> resource() {
		return ResponseEntity.ok()
			.header("Content-Disposition", "attachment; filename=\"receipt.bin\"")
			.body(new ByteArrayResource(this.executions.next("resource").getBytes(StandardCharsets.UTF_8)));
	}

	@PostMapping("/large")
	@ResponseBody
	ResponseEntity<byte[]> large() {
		byte[] bytes = new byte[LARGE];
		Arrays.fill(bytes, (byte) ('a' + Math.floorMod(this.executions.next("large").hashCode(), 26)));
		return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(bytes);
	}

	@PostMapping("/form")
	@ResponseBody
	String form(@RequestParam String amount, @RequestParam(name = "item") List<String> items) {
		return "%s for %s: %s".formatted(amount, items, this.executions.next("form"));
	}

	@PostMapping("/upload")
	@ResponseBody
	String upload(@RequestParam MultipartFile file, @RequestParam String note) throws IOException {
		return "%s %s %s %s: %s".formatted(file.getOriginalFilename(), file.getSize(), note,
				Arrays.hashCode(file.getBytes()), this.executions.next("upload"));
	}

	@PostMapping("/echo")
	@ResponseBody
	String echo(HttpServletRequest request) throws IOException {
		byte[] bytes = request.getInputStream().readAllBytes();
		return "%d bytes %d: %s".formatted(bytes.length, Arrays.hashCode(bytes), this.executions.next("echo"));
	}

	@PostMapping("/orders/{id}/capture")
	@ResponseBody
	String capture(@PathVariable String id, @RequestParam(defaultValue = "0") int amount) {
		return "%s %s: %s".formatted(id, amount, this.executions.next("capture"));
	}

	@PostMapping("/json")
	@ResponseBody
	Map<String, Object> json(@RequestBody Map<String, Object> order) {
		return Map.of("order", order, "receipt", this.executions.next("json"));
	}

	@PutMapping("/thing")
	@ResponseBody
	String put() {
		return this.executions.next("put");
	}

	@DeleteMapping("/thing")
	ResponseEntity<Void> delete() {
		this.executions.next("delete");
		return ResponseEntity.noContent().build();
	}

}
