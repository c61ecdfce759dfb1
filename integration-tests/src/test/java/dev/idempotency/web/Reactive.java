package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;

/**
 * Makes an application run on WebFlux.
 */
public final class Reactive {

	private Reactive() {
	}

	/**
	 * Starts an application of handlers that block no event loop.
	 */
	static TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.startReactive(exchange(sources, WebTestApplication.class, ReactiveTestApplication.class),
				properties);
	}

	/**
	 * What makes an application, with something that knows servlets exchanged for its
	 * counterpart.
	 */
	static List<Class<?>> exchange(List<Class<?>> sources, Class<?> servlet, Class<?> reactive) {
		List<Class<?>> exchanged = new ArrayList<>();
		for (Class<?> source : sources) {
			exchanged.add((source == servlet) ? reactive : source);
		}
		return exchanged;
	}

	static DataBuffer buffer(ServerHttpResponse response, byte[] bytes) {
		return response.bufferFactory().allocateBuffer(bytes.length).write(bytes);
	}

	static DataBuffer buffer(ServerHttpResponse response, String text) {
		return buffer(response, text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Writes and sends piece by piece.
	 */
	static Mono<Void> flush(ServerHttpResponse response, Flux<byte[]> pieces) {
		return response.writeAndFlushWith(pieces.map((piece) -> Mono.fromCallable(() -> buffer(response, piece))));
	}

	static Flux<DataBuffer> buffers(ServerHttpResponse response, Flux<byte[]> pieces) {
		return pieces.map((piece) -> buffer(response, piece));
	}

	/**
	 * Starts an application whose handlers are those of servlets: they return plain
	 * values, and may block, since WebFlux calls them on threads of their own.
	 */
	public static TestServer startBlocking(List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(BlockingHandlers.class);
		return start(all, properties);
	}

	@Configuration(proxyBeanMethods = false)
	static class BlockingHandlers implements WebFluxConfigurer {

		@Override
		public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
			ThreadFactory threads = (task) -> {
				Thread thread = new Thread(task, "blocking-handler");
				thread.setDaemon(true);
				return thread;
			};
			configurer.setExecutor(new SimpleAsyncTaskExecutor(threads));
		}

	}

}
