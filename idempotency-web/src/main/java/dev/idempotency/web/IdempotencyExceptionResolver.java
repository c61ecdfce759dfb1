package dev.idempotency.web;

import java.io.IOException;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyException;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.http.DryRunInvalidException;
import dev.idempotency.http.DryRunUnsupportedException;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.Problems;
import dev.idempotency.http.RequestBodyUnreadableException;
import dev.idempotency.http.Settlement.End;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.ServletRequestBindingException;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentConversionNotSupportedException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.multipart.MultipartException;
import org.springframework.web.multipart.support.MissingServletRequestPartException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Renders a problem document when a request did not run, unless the application handles
 * that exception by name. It must come before all other resolvers, where it also learns
 * how a protected handler failed.
 */
public final class IdempotencyExceptionResolver implements HandlerExceptionResolver {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyExceptionResolver.class);

	private final Problems problems;

	private final ExplicitExceptionHandlers explicitHandlers;

	IdempotencyExceptionResolver(Problems problems, ExplicitExceptionHandlers explicitHandlers) {
		this.problems = problems;
		this.explicitHandlers = explicitHandlers;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		Exchange exchange = Exchange.of(request);
		if (exchange != null && exchange.run() != null && !exchange.isErrorForwarded() && !isErrorPage(request)) {
			tell(exchange.run(), handler, ex);
		}
		if (ex instanceof RequestBodyUnreadableException && response.isCommitted()) {
			// The container could not read the body, and has already refused the request
			return new ModelAndView();
		}
		if (!(unwrap(ex) instanceof IdempotencyException problem) || response.isCommitted()
				|| !isForClients(problem, exchange) || isPartOfAnotherAnswer(request)
				|| this.explicitHandlers.handle(problem, handler)) {
			return null;
		}
		try {
			logger.debug("Responding with a problem to {}", handler, problem);
			if (isAboutDryRun(problem)) {
				ServletAnswers.writeEffect(EffectHeader.NONE, response);
			}
			return answer(problem, request, response) ? new ModelAndView() : null;
		}
		catch (IOException writing) {
			logger.debug("The client of {} has disconnected", handler, writing);
			return new ModelAndView();
		}
	}

	private boolean answer(IdempotencyException problem, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		HttpAnswer answer = this.problems.toAnswer(problem, request.getHeader(HttpHeaders.ACCEPT),
				RequestContextUtils.getLocale(request));
		if (answer == null) {
			return false;
		}
		// Keep the links that other code has added
		answer.headers()
			.computeIfPresent(HttpHeaders.LINK,
					(name, ours) -> Stream.concat(response.getHeaders(name).stream(), ours.stream()).toList());
		ServletAnswers.send(answer, response);
		return true;
	}

	/**
	 * The dispatcher wraps the failure of an included handler.
	 */
	private static Throwable unwrap(Exception ex) {
		return (ex instanceof ServletException && ex.getCause() != null) ? ex.getCause() : ex;
	}

	/**
	 * An included handler cannot set a status. The handler that includes it fails with
	 * the exception, and its response is the problem.
	 */
	private static boolean isPartOfAnotherAnswer(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.INCLUDE;
	}

	/**
	 * A refusal by a protected method that the handler calls is for the handler, and not
	 * the client's fault. But a client can be told to retry later.
	 */
	private static boolean isForClients(IdempotencyException problem, @Nullable Exchange exchange) {
		return problem instanceof OperationInProgressException || isAboutDryRun(problem)
				|| (exchange != null && exchange.isRefusal(problem));
	}

	/**
	 * Only the HTTP edge throws these exceptions, and only for the current request. There
	 * is no exchange when protection is switched off.
	 */
	private static boolean isAboutDryRun(IdempotencyException problem) {
		return problem instanceof DryRunUnsupportedException || problem instanceof DryRunInvalidException;
	}

	private static void tell(ProtectedRun run, @Nullable Object handler, Exception ex) {
		if (ex instanceof AsyncRequestNotUsableException) {
			run.interrupted(End.CUT_OFF);
		}
		else if (run.isFlowing()) {
			run.workFailed(ex);
			// An event stream has no other end than a failure
			run.interrupted(run.isEndless() ? End.CUT_OFF : End.BROKEN_OFF);
		}
		else if (FailedAnswer.isReasonFor(ex)) {
			run.answerFailed();
		}
		else if (handler instanceof HandlerMethod && isBeforeHandler(ex)) {
			run.undoWork();
			run.handlerNotReached();
		}
		else {
			run.handlerFailed(ex);
		}
	}

	/**
	 * The failure of an error page says nothing about the handler. Containers include the
	 * page when the response is already being sent.
	 */
	private static boolean isErrorPage(HttpServletRequest request) {
		return request.getDispatcherType() == DispatcherType.ERROR
				|| request.getDispatcherType() == DispatcherType.INCLUDE;
	}

	/**
	 * Whether the arguments of the handler could not be resolved.
	 */
	private static boolean isBeforeHandler(Exception ex) {
		if (ex instanceof HandlerMethodValidationException validation) {
			return !validation.isForReturnValue();
		}
		return ex instanceof HttpMessageNotReadableException || ex instanceof HttpMediaTypeNotSupportedException
				|| ex instanceof MethodArgumentNotValidException || ex instanceof ServletRequestBindingException
				|| ex instanceof MissingServletRequestPartException || ex instanceof MethodArgumentTypeMismatchException
				|| ex instanceof MethodArgumentConversionNotSupportedException || ex instanceof MultipartException;
	}

}
