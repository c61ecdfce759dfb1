package dev.idempotency.torture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.fixtures.Unchecked;

import org.springframework.core.env.Environment;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Work that takes several leases, on threads that a shutdown waits for in different ways.
 */
class LongTasks {

	private final Work work;

	LongTasks(Environment environment) {
		this.work = new Work(environment);
	}

	@Idempotent(key = "#key")
	public String run(String key, long millis) {
		return this.work.run(key, IdempotencyContext.current().attempt(), millis);
	}

	private static final class Work {

		private final Path journal;

		private Work(Environment environment) {
			this.journal = Path.of(environment.getRequiredProperty("torture.journal"));
		}

		/**
		 * Writes down that it was here, and takes its time.
		 */
		private String run(String key, int attempt, long millis) {
			Unchecked.run(() -> Files.writeString(this.journal, "%s %d%n".formatted(key, attempt),
					StandardOpenOption.CREATE, StandardOpenOption.APPEND));
			Pause.millis(millis);
			return "attempt " + attempt;
		}

	}

	@RestController
	static class Handlers {

		private final LongTasks tasks;

		private final AsyncTaskExecutor executor;

		private final Work work;

		Handlers(LongTasks tasks, AsyncTaskExecutor applicationTaskExecutor, Environment environment) {
			this.work = new Work(environment);
			this.tasks = tasks;
			this.executor = applicationTaskExecutor;
		}

		/**
		 * Hands the work to an executor, and is not there any more when it ends. Who asks
		 * again is told what came of it.
		 */
		@PostMapping("/task")
		ResponseEntity<String> task(@RequestHeader("Idempotency-Key") String key, @RequestParam long millis)
				throws InterruptedException {
			CompletableFuture<String> task = this.executor.submitCompletable(() -> this.tasks.run(key, millis));
			try {
				return ResponseEntity.ok(task.get(20, TimeUnit.MILLISECONDS));
			}
			catch (TimeoutException ex) {
				return ResponseEntity.status(409).body("begun");
			}
			catch (ExecutionException ex) {
				return ResponseEntity.status(409).body(String.valueOf(ex.getCause()));
			}
		}

		@Idempotent
		@PostMapping("/call")
		Callable<String> call(@RequestBody String text, @RequestParam long millis, IdempotencyContext context) {
			return () -> this.work.run(context.key().value(), context.attempt(), millis);
		}

		@Idempotent
		@PostMapping("/handle")
		String handle(@RequestBody String text, @RequestParam long millis, IdempotencyContext context) {
			return this.work.run(context.key().value(), context.attempt(), millis);
		}

	}

}
