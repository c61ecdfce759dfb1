package dev.idempotency.web;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import kotlin.Unit;
import kotlinx.coroutines.CoroutineScope;
import kotlinx.coroutines.reactive.PublishKt;
import kotlinx.coroutines.reactor.MonoKt;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.jspecify.annotations.NullMarked;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.Resource;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.DispatcherHandler;

/**
 * The Kotlin of these tests, compiled when the first of them needs it, so that no build
 * has to know how.
 */
final class KotlinSources {

	/**
	 * What the sources use, by one type of each library.
	 */
	private static final List<Class<?>> LIBRARIES = List.of(Unit.class, CoroutineScope.class, PublishKt.class,
			MonoKt.class, Publisher.class, Mono.class, NullMarked.class, Resource.class, BeanFactory.class, Bean.class,
			RestController.class, DispatcherHandler.class, Idempotent.class, ReactiveIdempotencyContext.class,
			ReactiveIdempotencyRouteFilter.class, KotlinJournal.class);

	private KotlinSources() {
	}

	/**
	 * Returns a class that is written in Kotlin.
	 */
	static Class<?> type(String name) {
		try {
			return Compiled.LOADER.loadClass(name);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	private static ClassLoader compile() {
		try {
			Path classes = Files.createTempDirectory("kotlin-classes");
			Runtime.getRuntime().addShutdownHook(new Thread(() -> FileSystemUtils.deleteRecursively(classes.toFile())));
			compile(classes);
			return new URLClassLoader(new URL[] { classes.toUri().toURL() }, KotlinSources.class.getClassLoader());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void compile(Path classes) throws IOException {
		String classPath = LIBRARIES.stream()
			.map((type) -> location(type.getProtectionDomain().getCodeSource().getLocation()).toString())
			.distinct()
			.collect(Collectors.joining(File.pathSeparator));
		List<String> arguments = new ArrayList<>(List.of("-no-stdlib", "-no-reflect", "-java-parameters", "-Werror",
				"-jvm-target", "17", "-classpath", classPath, "-d", classes.toString()));
		URL folder = KotlinSources.class.getResource("/kotlin");
		if (folder == null) {
			throw new IllegalStateException("There are no sources");
		}
		try (Stream<Path> sources = Files.list(location(folder))) {
			sources.map(Path::toString).forEach(arguments::add);
		}
		ByteArrayOutputStream messages = new ByteArrayOutputStream();
		ExitCode exit = new K2JVMCompiler().exec(new PrintStream(messages, true, StandardCharsets.UTF_8),
				arguments.toArray(String[]::new));
		if (exit != ExitCode.OK) {
			throw new IllegalStateException("Kotlin does not compile:\n" + messages.toString(StandardCharsets.UTF_8));
		}
	}

	private static Path location(URL url) {
		try {
			return Path.of(url.toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Once for all tests of a process.
	 */
	private static final class Compiled {

		private static final ClassLoader LOADER = compile();

	}

}
