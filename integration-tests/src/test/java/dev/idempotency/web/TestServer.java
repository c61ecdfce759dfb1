package dev.idempotency.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

import dev.idempotency.webflux.EventLoops;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * An application on a real port.
 */
public final class TestServer implements AutoCloseable {

	private static final String BOOT = "org.springframework.boot.";

	private static final String WITHOUT_DATABASE = "spring.autoconfigure.exclude=" + BOOT
			+ "jdbc.autoconfigure.DataSourceAutoConfiguration," + BOOT + "flyway.autoconfigure.FlywayAutoConfiguration,"
			+ BOOT + "data.redis.autoconfigure.DataRedisAutoConfiguration," + BOOT
			+ "data.redis.autoconfigure.DataRedisReactiveAutoConfiguration," + BOOT
			+ "hibernate.autoconfigure.HibernateJpaAutoConfiguration," + BOOT
			+ "data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

	private static final String WITHOUT_SECURITY = WITHOUT_DATABASE + "," + BOOT
			+ "security.autoconfigure.SecurityAutoConfiguration," + BOOT
			+ "security.autoconfigure.UserDetailsServiceAutoConfiguration," + BOOT
			+ "security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration," + BOOT
			+ "security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration," + BOOT
			+ "security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration," + BOOT
			+ "security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration";

	private static final String REACTIVE_SECURITY = BOOT
			+ "security.autoconfigure.ReactiveUserDetailsServiceAutoConfiguration," + BOOT
			+ "security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration," + BOOT
			+ "security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration";

	private static final String WITHOUT_REACTIVE_SECURITY = WITHOUT_DATABASE + "," + REACTIVE_SECURITY;

	public static final String WITH_SECURITY = WITHOUT_DATABASE;

	public static final String WITH_DATABASE = WITHOUT_SECURITY
		.replace(BOOT + "jdbc.autoconfigure.DataSourceAutoConfiguration,", "");

	static final String WITH_REDIS = WITHOUT_SECURITY
		.replace(BOOT + "data.redis.autoconfigure.DataRedisAutoConfiguration,", "");

	/**
	 * For an application on either stack.
	 */
	public static final String WITH_SHARED_DATABASE = WITH_DATABASE + "," + REACTIVE_SECURITY;

	/**
	 * For an application on either stack.
	 */
	static final String WITH_SHARED_REDIS = WITH_REDIS + "," + REACTIVE_SECURITY;

	static final String WITH_JPA = WITH_DATABASE
		.replace(BOOT + "hibernate.autoconfigure.HibernateJpaAutoConfiguration,", "");

	static final String WITHOUT_ERROR_PAGE = WITHOUT_SECURITY + "," + BOOT
			+ "webmvc.autoconfigure.error.ErrorMvcAutoConfiguration";

	private static final String[] COMMON = { "server.port=0", "spring.main.banner-mode=off", "idempotency.store=memory",
			"spring.application.name=test", "server.shutdown=immediate", Bystanders.NONE };

	private final HttpClient client;

	private final HttpClient.Version version;

	private final ConfigurableApplicationContext context;

	private final int port;

	private final AutoCloseable life;

	private final String base;

	private final Map<String, String> headers = new LinkedHashMap<>();

	private TestServer(ConfigurableApplicationContext context, int port, String path, AutoCloseable life,
			boolean http2) {
		this.context = context;
		this.port = port;
		this.life = life;
		this.base = "http://localhost:%d%s".formatted(port, path);
		this.version = http2 ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
		this.client = HttpClient.newBuilder().version(this.version).connectTimeout(Duration.ofSeconds(10)).build();
	}

	public static TestServer start(List<Class<?>> sources, String... properties) {
		return start(Container.TOMCAT, sources, properties);
	}

	static TestServer start(Container container, List<Class<?>> sources, String... properties) {
		String[] all = with(with(properties, container.properties().toArray(String[]::new)),
				with(new String[] { WITHOUT_SECURITY }, COMMON));
		if (container == Container.DEPLOYED) {
			DeployedTomcat tomcat = new DeployedTomcat(sources, List.of(all));
			return new TestServer(tomcat.application(), tomcat.port(), servletPath(tomcat.application()), tomcat,
					false);
		}
		ConfigurableApplicationContext context = run(WebApplicationType.SERVLET, container.sources(sources), all);
		return new TestServer(context, port(context), servletPath(context), context, container.isHttp2()).warm();
	}

	private static String servletPath(ConfigurableApplicationContext context) {
		Environment environment = context.getEnvironment();
		return environment.getProperty("server.servlet.context-path", "")
				+ environment.getProperty("spring.mvc.servlet.path", "");
	}

	/**
	 * Starts an application on WebFlux. Closing it fails if something has blocked an
	 * event loop, or lost a buffer.
	 */
	public static TestServer startReactive(List<Class<?>> sources, String... properties) {
		EventLoops.watch();
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(EventLoops.OfOneApplication.class);
		ConfigurableApplicationContext context = run(WebApplicationType.REACTIVE, all,
				with(properties, with(new String[] { WITHOUT_REACTIVE_SECURITY }, COMMON)));
		return new TestServer(context, port(context),
				context.getEnvironment().getProperty("spring.webflux.base-path", ""), () -> {
					context.close();
					EventLoops.check();
				}, false);
	}

	private static ConfigurableApplicationContext run(WebApplicationType type, List<Class<?>> sources,
			String... properties) {
		return new SpringApplicationBuilder(sources.toArray(Class<?>[]::new)).web(type).properties(properties).run();
	}

	/**
	 * Moves the client's connection to HTTP/2, if it is to have it: the JDK's client asks
	 * for that with a request, and servers agree if it has no body.
	 */
	private TestServer warm() {
		if (isHttp2()) {
			call("GET", "/nowhere").send();
		}
		return this;
	}

	/**
	 * The settings that a test gives, which win, and those that all of its kind have.
	 */
	public static String[] with(String[] given, String... common) {
		return Stream.of(common, given).flatMap(Stream::of).toArray(String[]::new);
	}

	private static int port(ConfigurableApplicationContext context) {
		return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
	}

	public int port() {
		return this.port;
	}

	boolean isHttp2() {
		return this.version == HttpClient.Version.HTTP_2;
	}

	HttpClient client() {
		return this.client;
	}

	public URI uri(String path) {
		return URI.create(this.base + path);
	}

	/**
	 * The container in which the application runs.
	 */
	WebServer container() {
		return Objects.requireNonNull(((WebServerApplicationContext) this.context).getWebServer());
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	Executions executions() {
		return bean(Executions.class);
	}

	/**
	 * Sends a header with every request from now on.
	 */
	public TestServer sending(String name, String value) {
		this.headers.put(name, value);
		return this;
	}

	public static String newKey() {
		return UUID.randomUUID().toString();
	}

	public Call post(String path) {
		return new Call("POST", path);
	}

	/**
	 * A request without the headers that are sent with every one.
	 */
	public Call anonymously(String path) {
		Call call = new Call("POST", path);
		call.header.clear();
		return call;
	}

	public Call call(String method, String path) {
		return new Call(method, path);
	}

	@Override
	public void close() {
		try {
			this.life.close();
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A request.
	 */
	public final class Call {

		private final String method;

		private final String path;

		private final List<String> header = new ArrayList<>();

		private byte[] body = new byte[0];

		private Call(String method, String path) {
			this.method = method;
			this.path = path;
			TestServer.this.headers.forEach(this::header);
		}

		public Call key(@Nullable String key) {
			return (key != null) ? header("Idempotency-Key", key) : this;
		}

		public Call dryRun() {
			return header("Idempotency-Dry-Run", "?1");
		}

		public Call header(String name, String value) {
			this.header.add(name);
			this.header.add(value);
			return this;
		}

		public Call json(String json) {
			return body("application/json", json);
		}

		public Call body(String type, String text) {
			return body(type, text.getBytes(StandardCharsets.UTF_8));
		}

		Call body(String type, byte[] bytes) {
			this.body = bytes;
			return header("Content-Type", type);
		}

		public Answer send() {
			return send(TestServer.this.client);
		}

		/**
		 * Sends it on a connection that no other request uses.
		 */
		Answer sendAlone() {
			return send(HttpClient.newBuilder().version(TestServer.this.version).build());
		}

		private Answer send(HttpClient by) {
			HttpRequest.Builder builder = HttpRequest.newBuilder(uri(this.path))
				.timeout(Duration.ofSeconds(60))
				.method(this.method, HttpRequest.BodyPublishers.ofByteArray(this.body));
			for (int i = 0; i < this.header.size(); i += 2) {
				builder.header(this.header.get(i), this.header.get(i + 1));
			}
			try {
				HttpResponse<byte[]> response = by.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
				if (response.version() != TestServer.this.version) {
					throw new IllegalStateException("Answered by " + response.version());
				}
				return Answer.of(response);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
		}

	}

}
