package dev.idempotency.webflux;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.netty.util.ResourceLeakDetector;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;
import reactor.blockhound.integration.BlockHoundIntegration;
import reactor.blockhound.integration.StandardOutputIntegration;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.server.WebFilter;

/**
 * Watches the event loops of this process from the first reactive application on: nothing
 * may block them, and no buffer may get lost. Other threads are left alone.
 */
public final class EventLoops {

	/**
	 * What may block for a moment, since it happens once, or only in tests.
	 */
	private static final List<String> ALLOWED = List.of("java.lang.ClassLoader.loadClass", "java.lang.Class.forName",
			"java.util.ServiceLoader", "java.util.ResourceBundle.", "java.lang.invoke.MethodHandleNatives.",
			"java.util.UUID.randomUUID", "java.security.SecureRandom.", "ch.qos.logback.core.OutputStreamAppender.",
			"java.io.PrintStream.", "org.thymeleaf.", "io.netty.buffer.AdaptivePoolingAllocator",
			// springdoc reads class files on the thread that asks for its document
			"org.springdoc.core.service.OpenAPIService.",
			// Kotlin's reflection reads once what it is to know of a type
			"kotlin.reflect.jvm.internal.impl.",
			// BlockHound allows these too, but loses its marks when others transform the
			// class
			"java.util.concurrent.ThreadPoolExecutor.getTask", "java.util.concurrent.ThreadPoolExecutor.addWorker",
			"java.util.concurrent.ThreadPoolExecutor.processWorkerExit",
			"java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.",
			// Spring MVC hands over what a Flux emits to a thread of its own
			"org.springframework.web.servlet.mvc.method.annotation.ReactiveTypeHandler",
			// Locks that are held for a moment, and never while a store is asked
			"dev.idempotency.reactive.StoreThreads.handOver");

	private static final Pattern COMMON = Pattern
		.compile("^\\s*(at )?(reactor\\.core|reactor\\.netty|io\\.netty\\.(channel|handler|util))\\.");

	private static final List<String> blocking = new CopyOnWriteArrayList<>();

	static {
		BlockHound.Builder builder = BlockHound.builder();
		for (BlockHoundIntegration integration : ServiceLoader.load(BlockHoundIntegration.class)) {
			// Tests listen at the output themselves
			if (!(integration instanceof StandardOutputIntegration)) {
				builder.with(integration);
			}
		}
		builder.blockingMethodCallback(EventLoops::remember).install();
		Schedulers.setFactory(new SharedThreads());
	}

	private EventLoops() {
	}

	/**
	 * Watches from now on.
	 */
	public static void watch() {
		ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
	}

	private static void remember(BlockingMethod method) {
		if (!(Thread.currentThread() instanceof NonBlocking)) {
			return;
		}
		StackTraceElement[] trace = new Throwable().getStackTrace();
		if (Arrays.stream(trace).noneMatch(EventLoops::isAllowed)) {
			blocking.add(Arrays.stream(trace)
				.map((frame) -> "\n\tat " + frame)
				.collect(Collectors.joining("", "%s on %s".formatted(method, Thread.currentThread().getName()), "")));
		}
	}

	private static boolean isAllowed(StackTraceElement frame) {
		String call = frame.getClassName() + "." + frame.getMethodName();
		boolean initializing = frame.getMethodName().equals("<clinit>");
		return (initializing && !call.startsWith("dev.idempotency.")) || ALLOWED.stream().anyMatch(call::startsWith);
	}

	/**
	 * Returns what has blocked an event loop since it was last asked for.
	 */
	public static List<String> takeBlockingCalls() {
		List<String> taken = List.copyOf(blocking);
		blocking.removeAll(taken);
		return taken;
	}

	/**
	 * Fails if something has blocked an event loop, or if a buffer was lost.
	 */
	public static void check() {
		List<String> calls = takeBlockingCalls();
		if (!calls.isEmpty()) {
			throw new AssertionError("%d calls have blocked an event loop, the first one: %s".formatted(calls.size(),
					readable(calls.get(0))));
		}
		List<String> leaks = LeakDetector.takeLeaks();
		if (!leaks.isEmpty()) {
			throw new AssertionError(
					"%d buffers were lost: %s".formatted(leaks.size(), readable(String.join("\nand ", leaks))));
		}
	}

	/**
	 * Leaves out what is on every stack.
	 */
	private static String readable(String trace) {
		return trace.lines()
			.filter((line) -> !COMMON.matcher(line).find())
			.limit(200)
			.collect(Collectors.joining("\n"));
	}

	/**
	 * Gives an application event loops of its own, which nobody misses when it is closed.
	 */
	@Configuration(proxyBeanMethods = false)
	public static class OfOneApplication {

		@Bean
		ReactorResourceFactory reactorResourceFactory() {
			ReactorResourceFactory factory = new ReactorResourceFactory();
			factory.setUseGlobalResources(false);
			factory.setLoopResourcesSupplier(() -> LoopResources.create("reactor-http", 2, true));
			factory.setShutdownQuietPeriod(Duration.ZERO);
			return factory;
		}

		/**
		 * Reads requests without a body to their end before their unprotected handlers
		 * answer. If one answers on another thread before that, Reactor Netty closes the
		 * connection, or forgets the request, with the library or without: of 2,000
		 * requests of a plain application, 1,200 connections were closed and 16 never
		 * answered.
		 */
		@Bean
		WebFilter unprotectedRequestsAreRead() {
			return (exchange, chain) -> {
				String path = exchange.getRequest().getPath().value();
				boolean unprotected = path.contains("/plain/") || path.startsWith("/actuator/");
				boolean empty = exchange.getRequest().getHeaders().getContentLength() <= 0
						&& !exchange.getRequest().getHeaders().containsHeader(HttpHeaders.TRANSFER_ENCODING);
				return !(unprotected && empty) ? chain.filter(exchange)
						: exchange.getRequest()
							.getBody()
							.doOnNext(DataBufferUtils::release)
							.then(Mono.defer(() -> chain.filter(exchange)));
			};
		}

	}

}
