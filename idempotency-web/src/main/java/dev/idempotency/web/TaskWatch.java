package dev.idempotency.web;

import java.util.concurrent.Callable;

import dev.idempotency.IdempotencyContext.Binding;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;

/**
 * Knows when a handler's task begins and ends that runs on a thread of its own, and makes
 * the operation's context current there.
 */
final class TaskWatch implements CallableProcessingInterceptor {

	private final ProtectedRun run;

	private @Nullable Binding binding;

	TaskWatch(ProtectedRun run) {
		this.run = run;
	}

	@Override
	public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
		this.run.taskStarted();
		this.binding = this.run.makeCurrent();
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
		if (this.binding != null) {
			this.binding.close();
		}
		this.run.taskEnded(result);
	}

}
