package dev.idempotency.torture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application on WebFlux that runs in a process of its own, which may be killed.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ PortFile.class, ReactiveTortureApplication.Handlers.class })
class ReactiveTortureApplication {

	public static void main(String[] args) {
		new SpringApplicationBuilder(ReactiveTortureApplication.class).web(WebApplicationType.REACTIVE).run(args);
	}

	@RestController
	static class Handlers {

		private final Path journal;

		Handlers(Environment environment) {
			this.journal = Path.of(environment.getRequiredProperty("torture.journal"));
		}

		/**
		 * Writes down that it was here, in a way that survives a kill, and takes its
		 * time.
		 */
		@Idempotent
		@PostMapping("/run")
		Mono<Map<String, Object>> run(@RequestBody String text, @RequestParam(defaultValue = "0") long millis,
				IdempotencyContext context) {
			return Mono.fromCallable(() -> {
				String line = "%s %d%n".formatted(context.key().value(), context.attempt());
				return Files.writeString(this.journal, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
			})
				.subscribeOn(Schedulers.boundedElastic())
				.delayElement(Duration.ofMillis((context.attempt() == 1) ? millis : 0))
				.map((journal) -> Map.of("attempt", context.attempt(), "id", UUID.randomUUID()));
		}

	}

}
