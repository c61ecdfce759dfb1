package dev.idempotency.webflux;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import dev.idempotency.http.FormParameters;
import dev.idempotency.http.RequestBodyTooLargeException;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.RequestContent;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ReactiveHttpInputMessage;
import org.springframework.http.codec.HttpMessageReader;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.codec.multipart.Part;
import org.springframework.util.MultiValueMap;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;

/**
 * Reads the content of a request ahead of its handler, and keeps it for the handler.
 */
final class ContentReader {

	private static final ResolvableType PART = ResolvableType.forClass(Part.class);

	private final Supplier<ServerCodecConfigurer> codecs;

	ContentReader(Supplier<ServerCodecConfigurer> codecs) {
		this.codecs = SingletonSupplier.of(codecs);
	}

	/**
	 * Reads the content of a request.
	 * @return the content, or {@link RequestBodyTooLargeException} or
	 * {@link RequestBodyUnreadableException}
	 */
	Mono<RequestContent> read(ServerWebExchange exchange, ReactiveRequest request, int limit) {
		if (exchange.getRequest().getHeaders().getContentLength() > limit) {
			return Mono.error(new RequestBodyTooLargeException(limit));
		}
		boolean readBefore = request.isBodyTaken();
		MediaType type = typeOf(exchange);
		if (readBefore && isForm(type)) {
			return exchange.getFormData().map((form) -> new RequestContent.Form(parametersOf(exchange, form)));
		}
		if (readBefore && exchange.getRequest().getHeaders().getContentLength() == 0) {
			return Mono.just(new RequestContent.Body(new byte[0], 0));
		}
		// Once a filter has read the body, only that filter can provide it again
		Flux<DataBuffer> source = readBefore ? exchange.getRequest().getBody() : request.connectionBody();
		return ReadAhead.of(source, limit).onErrorMap(ContentReader::toUnreadable).flatMap((read) -> {
			if (!readBefore) {
				request.give(read);
			}
			if (!read.isComplete()) {
				return Mono.error(new RequestBodyTooLargeException(limit));
			}
			if (read.length() == 0 && readBefore && exchange.getRequest().getHeaders().getContentLength() > 0) {
				return Mono
					.error(new IllegalStateException("The body of %s %s was read before its handler, and is gone. "
						.formatted(exchange.getRequest().getMethod(), exchange.getRequest().getPath())
							+ "A filter that reads it must provide it again"));
			}
			return toContent(exchange, type, read);
		});
	}

	private Mono<RequestContent> toContent(ServerWebExchange exchange, @Nullable MediaType type, ReadAhead.Read read) {
		if (isForm(type)) {
			try {
				Charset charset = (type != null && type.getCharset() != null) ? type.getCharset()
						: StandardCharsets.UTF_8;
				return Mono.just(new RequestContent.Form(
						FormParameters.parse(queryOf(exchange), Arrays.copyOf(read.bytes(), read.length()), charset)));
			}
			catch (IllegalArgumentException ex) {
				return Mono.error(new RequestBodyUnreadableException(new IOException(ex)));
			}
		}
		if (type != null && type.isCompatibleWith(MediaType.MULTIPART_FORM_DATA)) {
			return readParts(exchange, type, read);
		}
		return Mono.just(new RequestContent.Body(read.bytes(), read.length()));
	}

	/**
	 * Parses a form with files a second time: the parts for the handler can be read once.
	 */
	private Mono<RequestContent> readParts(ServerWebExchange exchange, MediaType type, ReadAhead.Read read) {
		HttpMessageReader<Part> reader = partReader(type);
		if (reader == null) {
			return Mono.just(new RequestContent.Body(read.bytes(), read.length()));
		}
		return reader.read(PART, new Message(exchange.getRequest().getHeaders(), read), Map.of())
			.concatMap(ContentReader::toPart)
			.collectList()
			.<RequestContent>map(RequestContent.Multipart::new)
			.onErrorMap(ContentReader::toUnreadable);
	}

	@SuppressWarnings("unchecked")
	private @Nullable HttpMessageReader<Part> partReader(MediaType type) {
		for (HttpMessageReader<?> reader : this.codecs.get().getReaders()) {
			if (reader.canRead(PART, type)) {
				return (HttpMessageReader<Part>) reader;
			}
		}
		return null;
	}

	private static Mono<RequestContent.Part> toPart(Part part) {
		String fileName = (part instanceof FilePart file) ? file.filename() : null;
		String contentType = part.headers().getFirst(HttpHeaders.CONTENT_TYPE);
		return DataBufferUtils.join(part.content()).map((buffer) -> {
			byte[] bytes = new byte[buffer.readableByteCount()];
			buffer.read(bytes);
			DataBufferUtils.release(buffer);
			return bytes;
		})
			.defaultIfEmpty(new byte[0])
			.map((bytes) -> new RequestContent.Part(part.name(), fileName, contentType,
					() -> new ByteArrayInputStream(bytes)))
			.flatMap((made) -> part.delete().thenReturn(made));
	}

	private static Throwable toUnreadable(Throwable failure) {
		return (failure instanceof Error) ? failure : new RequestBodyUnreadableException(
				(failure instanceof IOException io) ? io : new IOException(failure));
	}

	private static @Nullable MediaType typeOf(ServerWebExchange exchange) {
		try {
			return exchange.getRequest().getHeaders().getContentType();
		}
		catch (IllegalArgumentException ex) {
			// A malformed type is not that of a form
			return null;
		}
	}

	private static boolean isForm(@Nullable MediaType type) {
		return type != null && type.isCompatibleWith(MediaType.APPLICATION_FORM_URLENCODED);
	}

	private static Map<String, String[]> queryOf(ServerWebExchange exchange) {
		Map<String, String[]> parameters = new LinkedHashMap<>();
		exchange.getRequest()
			.getQueryParams()
			.forEach((name, values) -> parameters.put(name,
					values.stream().map((value) -> (value != null) ? value : "").toArray(String[]::new)));
		return parameters;
	}

	private static Map<String, String[]> parametersOf(ServerWebExchange exchange, MultiValueMap<String, String> form) {
		Map<String, String[]> parameters = queryOf(exchange);
		form.forEach((name, values) -> {
			String[] before = parameters.getOrDefault(name, new String[0]);
			String[] all = Arrays.copyOf(before, before.length + values.size());
			for (int i = 0; i < values.size(); i++) {
				String value = values.get(i);
				all[before.length + i] = (value != null) ? value : "";
			}
			parameters.put(name, all);
		});
		return parameters;
	}

	/**
	 * A body that was read ahead, as a message that can be parsed.
	 *
	 * @param headers the headers of the request
	 */
	private record Message(HttpHeaders headers, ReadAhead.Read read) implements ReactiveHttpInputMessage {

		@Override
		public Flux<DataBuffer> getBody() {
			return this.read.all();
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.headers;
		}

	}

}
