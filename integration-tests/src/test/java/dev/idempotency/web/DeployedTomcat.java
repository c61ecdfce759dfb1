package dev.idempotency.web;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import jakarta.servlet.ServletContext;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.support.SpringBootServletInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.context.WebApplicationContext;

/**
 * A Tomcat that knows nothing of Spring Boot, with an application that was deployed to
 * it. Its context has the settings that every context has.
 */
final class DeployedTomcat implements AutoCloseable {

	private final Tomcat tomcat = new Tomcat();

	private final Path directory;

	private final Initializer initializer;

	DeployedTomcat(List<Class<?>> sources, List<String> properties) {
		this.directory = newDirectory();
		this.initializer = new Initializer(sources, properties);
		this.tomcat.setBaseDir(this.directory.toString());
		this.tomcat.setPort(0);
		Context context = this.tomcat.addContext("", new File(this.directory.toString()).getAbsolutePath());
		context.addServletContainerInitializer((classes, servlets) -> this.initializer.onStartup(servlets), null);
		this.tomcat.getConnector();
		try {
			this.tomcat.start();
		}
		catch (LifecycleException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Path newDirectory() {
		try {
			return Files.createTempDirectory("tomcat");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.tomcat.getConnector().getLocalPort();
	}

	ConfigurableApplicationContext application() {
		return Objects.requireNonNull(this.initializer.application, "The application has not started");
	}

	@Override
	public void close() {
		try {
			this.tomcat.stop();
			this.tomcat.destroy();
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (LifecycleException ex) {
			throw new IllegalStateException(ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What a container finds in a war.
	 */
	private static final class Initializer extends SpringBootServletInitializer {

		private final List<Class<?>> sources;

		private final List<String> properties;

		private @Nullable ConfigurableApplicationContext application;

		private Initializer(List<Class<?>> sources, List<String> properties) {
			this.sources = sources;
			this.properties = properties;
		}

		@Override
		public void onStartup(ServletContext context) {
			try {
				super.onStartup(context);
			}
			catch (jakarta.servlet.ServletException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		protected SpringApplicationBuilder configure(SpringApplicationBuilder application) {
			return application.sources(this.sources.toArray(Class<?>[]::new))
				.properties(this.properties.toArray(String[]::new));
		}

		@Override
		protected @Nullable WebApplicationContext run(SpringApplication application) {
			WebApplicationContext started = super.run(application);
			this.application = (ConfigurableApplicationContext) started;
			return started;
		}

	}

}
