package dev.idempotency.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;

/**
 * The endpoint {@code idempotencyconsole}: a page that shows operators the data of the
 * endpoint {@code idempotency}. It consists of three files and loads nothing from other
 * servers.
 */
@WebEndpoint(id = "idempotencyconsole")
public final class IdempotencyConsoleEndpoint {

	private static final EndpointId CONSOLE = EndpointId.of("idempotencyconsole");

	private static final Map<String, MimeType> FILES = Map.of("console.css",
			new MimeType("text", "css", StandardCharsets.UTF_8), "console.js",
			new MimeType("text", "javascript", StandardCharsets.UTF_8));

	private final Supplier<PathMappedEndpoints> paths;

	/**
	 * Create the endpoint.
	 * @param paths the paths of all endpoints
	 */
	public IdempotencyConsoleEndpoint(Supplier<PathMappedEndpoints> paths) {
		this.paths = paths;
	}

	/**
	 * Returns the page.
	 */
	@ReadOperation(produces = "text/html;charset=UTF-8")
	public String page() {
		PathMappedEndpoints known = this.paths.get();
		String console = known.getRootPath(CONSOLE);
		String own = (console != null) ? console : CONSOLE.toString();
		String data = known.getRootPath(IdempotencyEndpoint.ID);
		String up = "../".repeat((int) own.chars().filter((character) -> character == '/').count());
		return read("console.html").replace("{{console}}", own.substring(own.lastIndexOf('/') + 1))
			.replace("{{endpoint}}", up + ((data != null) ? data : IdempotencyEndpoint.ID));
	}

	/**
	 * Returns the style sheet or the script of the page.
	 * @param name the name of a file
	 */
	@ReadOperation(produces = { "text/css", "text/javascript" })
	public WebEndpointResponse<String> file(@Selector String name) {
		MimeType type = FILES.get(name);
		return (type != null) ? new WebEndpointResponse<>(read(name), WebEndpointResponse.STATUS_OK, type)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static String read(String name) {
		try (InputStream file = IdempotencyConsoleEndpoint.class.getResourceAsStream(name)) {
			if (file == null) {
				throw new IllegalStateException("%s is missing in the library".formatted(name));
			}
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
