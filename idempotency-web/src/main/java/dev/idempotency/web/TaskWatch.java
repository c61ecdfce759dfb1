package dev.idempotency.web;

import java.util.concurrent.Callable;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyContext.Binding;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBodyReturnValueHandler;

/**
 * Makes the context of a handler current on the thread of its task. A protected handler
 * is notified when the task begins and ends.
 */
final class TaskWatch implements CallableProcessingInterceptor, DeferredResultProcessingInterceptor {

	private final IdempotencyContext context;

	private @Nullable Binding binding;

	TaskWatch(IdempotencyContext context) {
		this.context = context;
	}

	@Override
	public <T> void beforeConcurrentHandling(NativeWebRequest request, Callable<T> task) {
		if (this.context instanceof ProtectedRun run) {
			run.taskGiven(isStreaming(task), false);
		}
	}

	/**
	 * Spring wraps a {@code StreamingResponseBody} into a task of its own.
	 */
	private static boolean isStreaming(Callable<?> task) {
		return task.getClass().getEnclosingClass() == StreamingResponseBodyReturnValueHandler.class;
	}

	@Override
	public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
		if (this.context instanceof ProtectedRun run) {
			run.taskStarted();
		}
		this.binding = this.context.makeCurrent();
	}

	/**
	 * A result that is set elsewhere is a task that has begun.
	 */
	@Override
	public <T> void preProcess(NativeWebRequest request, DeferredResult<T> result) {
		if (this.context instanceof ProtectedRun run) {
			run.taskGiven(false, true);
			run.taskStarted();
		}
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, DeferredResult<T> result, @Nullable Object value) {
		if (this.context instanceof ProtectedRun run) {
			run.resultSet(value);
		}
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
		if (this.binding != null) {
			this.binding.close();
		}
		if (this.context instanceof ProtectedRun run) {
			run.taskEnded(result);
		}
	}

}
