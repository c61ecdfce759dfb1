package dev.idempotency.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application that runs in a process of its own, which may be killed.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ PortFile.class, TortureApplication.Handlers.class, TortureApplication.Payments.class, LongTasks.class,
		LongTasks.Handlers.class })
class TortureApplication {

	static final int STEPS = 5;

	public static void main(String[] args) {
		SpringApplication.run(TortureApplication.class, args);
	}

	/**
	 * Needs the executor before everything else is there. Left alone, it would be
	 * destroyed after everything else.
	 */
	@Bean
	ServletContextInitializer earlyExecutor(AsyncTaskExecutor applicationTaskExecutor) {
		return (context) -> context.setAttribute("executor", applicationTaskExecutor);
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
		Map<String, Object> run(@RequestBody String text, @RequestParam(defaultValue = "0") long millis,
				IdempotencyContext context) throws IOException {
			String line = "%s %d%n".formatted(context.key().value(), context.attempt());
			Files.writeString(this.journal, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
			if (millis > 0 && context.attempt() == 1) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
			}
			return Map.of("attempt", context.attempt(), "id", UUID.randomUUID());
		}

	}

	@RestController
	@ConditionalOnProperty(name = "idempotency.store", havingValue = "jdbc")
	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Idempotent(transactional = true)
		@PostMapping("/pay")
		Map<String, Object> pay(@RequestBody String text, IdempotencyContext context) {
			this.jdbc.update("insert into payment (idempotency_key, text) values (?, ?)", context.key().value(), text);
			return Map.of("attempt", context.attempt(), "id", UUID.randomUUID());
		}

		@Idempotent
		@PostMapping("/pay-in-steps")
		List<String> payInSteps(@RequestBody String text, IdempotencyContext context) {
			List<String> ids = new ArrayList<>();
			for (int i = 0; i < STEPS; i++) {
				int step = i;
				ids.add(context.steps().transactional().run("step-" + step, String.class, () -> {
					String id = UUID.randomUUID().toString();
					this.jdbc.update("insert into payment (idempotency_key, step, text) values (?, ?, ?)",
							context.key().value(), step, id);
					return id;
				}));
			}
			return ids;
		}

	}

}
