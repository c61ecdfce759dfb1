package dev.idempotency.webflux;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.codec.CodecException;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.ui.Model;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.view.Fragment;
import org.springframework.web.reactive.result.view.FragmentsRendering;
import org.springframework.web.reactive.result.view.Rendering;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.server.ContentTooLargeException;
import org.springframework.web.server.NotAcceptableStatusException;
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
		Object returned = result.getReturnValue();
		Object value = watched(returned, run);
		boolean plain = value == returned && !(value instanceof Rendering) && !(value instanceof View)
				&& !(value instanceof Model);
		// Spring resolves them when it renders a view
		result.getModel().asMap().replaceAll((name, attribute) -> watchedAttribute(attribute, run));
		HandlerResult watched = new HandlerResult(result.getHandler(), watchedModel(value, run),
				result.getReturnTypeSource(), result.getBindingContext());
		DispatchExceptionHandler original = result.getExceptionHandler();
		return watched.setExceptionHandler((exchange, ex) -> {
			if (isInputOf(result.getHandler(), ex)) {
				run.handlerNotReached();
			}
			else if (!run.isFailureOfHandler(ex) && (plain || isUnwritable(ex))) {
				run.responseIsUnwritable();
			}
			Mono<HandlerResult> handled = answerWithProblem(exchange, ex);
			return (original != null) ? handled.onErrorResume((same) -> original.handleError(exchange, same)) : handled;
		});
	}

	private static boolean isUnwritable(Throwable ex) {
		return ex instanceof CodecException || ex instanceof NotAcceptableStatusException
				|| ex instanceof UnsupportedMediaTypeStatusException;
	}

	/**
	 * Tells the run if a value fails that a handler has returned as a publisher.
	 */
	private static @Nullable Object watched(@Nullable Object value, ReactiveRun run) {
		if (value instanceof HttpEntity<?> entity) {
			return watched(entity, run);
		}
		ReactiveAdapter adapter = (value != null) ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value)
				: null;
		if (adapter == null) {
			return value;
		}
		Publisher<Object> source = adapter.toPublisher(value);
		if (adapter.isMultiValue()) {
			return adapter.fromPublisher(Flux.from(source).doOnError(run::valueFailed));
		}
		Mono<Object> watched = Mono.from(source).doOnError(run::valueFailed);
		return adapter.fromPublisher(adapter.isNoValue() ? watched
				: watched.map((it) -> (it instanceof HttpEntity<?> entity) ? watched(entity, run) : it));
	}

	private static HttpEntity<?> watched(HttpEntity<?> entity, ReactiveRun run) {
		Object body = entity.getBody();
		Object watched = watched(body, run);
		if (body == watched || watched == null) {
			return entity;
		}
		return (entity instanceof ResponseEntity<?> response)
				? new ResponseEntity<>(watched, entity.getHeaders(), response.getStatusCode())
				: new HttpEntity<>(watched, entity.getHeaders());
	}

	/**
	 * The same for the models that a value consists of.
	 */
	private static @Nullable Object watchedModel(@Nullable Object value, ReactiveRun run) {
		if (value instanceof Map<?, ?> model
				&& model.values().stream().anyMatch(IdempotencyHandlerAdapter::isPublisher)) {
			Map<Object, Object> watched = new LinkedHashMap<>(model);
			watched.replaceAll((name, attribute) -> watchedAttribute(attribute, run));
			return watched;
		}
		if (value instanceof FragmentsRendering rendering) {
			return FragmentsRendering
				.fragmentsPublisher(rendering.fragments().map((fragment) -> watched(fragment, run)))
				.status((rendering.status() != null) ? rendering.status() : HttpStatus.OK)
				.headers((headers) -> headers.putAll(rendering.headers()))
				.build();
		}
		return value;
	}

	private static Fragment watched(Fragment fragment, ReactiveRun run) {
		Map<String, Object> model = new LinkedHashMap<>(fragment.model());
		model.replaceAll((name, attribute) -> watchedAttribute(attribute, run));
		String name = fragment.viewName();
		return (name != null) ? Fragment.create(name, model) : Fragment.create(fragment.view(), model);
	}

	private static Object watchedAttribute(Object attribute, ReactiveRun run) {
		Object watched = isPublisher(attribute) ? watched(attribute, run) : null;
		return (watched != null) ? watched : attribute;
	}

	static boolean isPublisher(@Nullable Object value) {
		return value != null && ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value) != null;
	}

	/**
	 * Whether an argument that the handler takes as a publisher could not be read. The
	 * handler never saw its input.
	 */
	private static boolean isInputOf(Object handler, Throwable ex) {
		if (isOverLimit(ex)) {
			return true;
		}
		MethodParameter parameter = (ex instanceof ServerWebInputException input) ? input.getMethodParameter() : null;
		return parameter != null && handler instanceof HandlerMethod method
				&& method.getMethod().equals(parameter.getMethod());
	}

	/**
	 * Whether Spring has not read a body because it is too large.
	 */
	private static boolean isOverLimit(Throwable ex) {
		return ex instanceof ContentTooLargeException && ex.getCause() instanceof DataBufferLimitException;
	}

	@Override
	public Mono<HandlerResult> handleError(ServerWebExchange exchange, Throwable ex) {
		return Mono.deferContextual((context) -> {
			ReactiveDispatch dispatch = ReactiveDispatch.of(context);
			ReactiveRun run = (dispatch != null) ? dispatch.run() : null;
			if (run != null && !run.isFinal() && isBeforeHandler(ex)) {
				run.handlerNotReached();
			}
			else if (run != null) {
				run.handlerFailed(ex);
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
		return ex instanceof ServerWebInputException || ex instanceof UnsupportedMediaTypeStatusException
				|| isOverLimit(ex);
	}

}
