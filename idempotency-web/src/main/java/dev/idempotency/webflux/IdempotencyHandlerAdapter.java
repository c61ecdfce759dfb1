package dev.idempotency.webflux;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyException;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.http.DryRunInvalidException;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.ProtectedOperation;
import dev.idempotency.http.ProtectedOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebInputException;
import org.springframework.web.server.UnsupportedMediaTypeStatusException;

/**
 * Calls protected annotated handlers through Spring's adapter, which it precedes. It also
 * learns how they failed. If a request did not run, it responds with a problem, unless
 * the application handles that exception by name.
 */
public final class IdempotencyHandlerAdapter
		implements HandlerAdapter, DispatchExceptionHandler, Ordered, SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyHandlerAdapter.class);

	private final ProtectedOperations operations;

	private final ReactiveGate gate;

	private final ReactiveProblems problems;

	private final Supplier<RequestMappingHandlerAdapter> delegate;

	IdempotencyHandlerAdapter(ProtectedOperations operations, ReactiveGate gate, ReactiveProblems problems,
			Supplier<RequestMappingHandlerAdapter> delegate) {
		this.operations = operations;
		this.gate = gate;
		this.problems = problems;
		this.delegate = SingletonSupplier.of(delegate);
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/**
	 * Looks up now what requests would otherwise wait for on event loops.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		Objects.requireNonNull(this.delegate.get());
		this.problems.prepare();
	}

	@Override
	public boolean supports(Object handler) {
		return handler instanceof HandlerMethod method && this.operations.find(method, "POST") != null;
	}

	@Override
	public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
		ProtectedOperation operation = this.operations.find((HandlerMethod) handler,
				exchange.getRequest().getMethod().name());
		if (operation == null) {
			return this.delegate.get().handle(exchange, handler);
		}
		return this.gate.admit(exchange, handler, ReactiveGate.named(this.operations, operation, exchange), (run) -> {
			Mono<HandlerResult> handled = this.delegate.get().handle(exchange, handler);
			return (run != null) ? handled.map((result) -> watched(result, run)) : handled;
		});
	}

	/**
	 * Watches the value that a handler has returned. If it fails, a retry runs again. If
	 * it cannot be written, a retry must not run.
	 */
	private HandlerResult watched(HandlerResult result, ReactiveRun run) {
		WatchedValue value = WatchedValue.of(result.getReturnValue(), run);
		HandlerResult watched = new HandlerResult(result.getHandler(), value.value(), result.getReturnTypeSource(),
				result.getBindingContext());
		DispatchExceptionHandler original = result.getExceptionHandler();
		return watched.setExceptionHandler((exchange, ex) -> {
			if (isInputOf(result.getHandler(), ex)) {
				run.handlerNotReached();
			}
			else if (value.isUnwritableBecauseOf(ex)) {
				run.answerIsUnwritable();
			}
			Mono<HandlerResult> handled = answerWithProblem(exchange, ex);
			return (original != null) ? handled.onErrorResume((same) -> original.handleError(exchange, same)) : handled;
		});
	}

	/**
	 * Whether an argument that the handler takes as a publisher could not be read. The
	 * handler never saw its input.
	 */
	private static boolean isInputOf(Object handler, Throwable ex) {
		MethodParameter parameter = (ex instanceof ServerWebInputException input) ? input.getMethodParameter() : null;
		return parameter != null && handler instanceof HandlerMethod method
				&& method.getMethod().equals(parameter.getMethod());
	}

	@Override
	public Mono<HandlerResult> handleError(ServerWebExchange exchange, Throwable ex) {
		return Mono.deferContextual((context) -> {
			ReactiveExchange carried = ReactiveExchange.of(context);
			ReactiveRun run = (carried != null) ? carried.run() : null;
			if (run != null && !run.isFinal() && isBeforeHandler(ex)) {
				run.handlerNotReached();
			}
			return answerWithProblem(exchange, ex);
		});
	}

	private Mono<HandlerResult> answerWithProblem(ServerWebExchange exchange, Throwable ex) {
		return Mono.deferContextual((context) -> {
			ReactiveExchange carried = ReactiveExchange.of(context);
			if (!(ex instanceof IdempotencyException problem) || exchange.getResponse().isCommitted()
					|| !isForClients(problem, carried)) {
				return Mono.error(ex);
			}
			Mono<HandlerResult> handled = this.problems.handledByApplication(problem, exchange);
			if (handled != null) {
				return handled
					.doOnError((failure) -> logger.warn("An exception handler of the application failed", failure));
			}
			HttpAnswer answer = this.problems.toAnswer(problem, exchange);
			if (answer == null) {
				return Mono.error(ex);
			}
			logger.debug("Responding with a problem to {}", exchange.getRequest().getPath(), problem);
			if (isAboutDryRun(problem)) {
				ReactiveAnswers.writeEffect(EffectHeader.NONE, exchange.getResponse());
			}
			// Filters may have added links of their own
			List<String> links = exchange.getResponse().getHeaders().getOrEmpty(HttpHeaders.LINK);
			answer.headers()
				.computeIfPresent(HttpHeaders.LINK,
						(name, ours) -> Stream.concat(links.stream(), ours.stream()).toList());
			return ReactiveAnswers.send(answer, exchange.getResponse()).then(Mono.empty());
		});
	}

	/**
	 * A problem of a protected method that the handler calls is for the handler, and not
	 * for the client. But a client can be asked to try again later.
	 */
	private static boolean isForClients(IdempotencyException problem, @Nullable ReactiveExchange carried) {
		return problem instanceof OperationInProgressException || isAboutDryRun(problem)
				|| (carried != null && carried.isRefusal(problem));
	}

	private static boolean isAboutDryRun(IdempotencyException problem) {
		return problem instanceof DryRunUnsupportedException || problem instanceof DryRunInvalidException;
	}

	/**
	 * Whether the arguments of the handler could not be resolved.
	 */
	private static boolean isBeforeHandler(Throwable ex) {
		if (ex instanceof HandlerMethodValidationException validation) {
			return !validation.isForReturnValue();
		}
		return ex instanceof ServerWebInputException || ex instanceof UnsupportedMediaTypeStatusException;
	}

}
