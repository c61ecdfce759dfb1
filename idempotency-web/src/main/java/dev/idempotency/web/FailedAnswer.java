package dev.idempotency.web;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Tells a failure to write what a handler has returned from a failure of the handler
 * itself. Spring calls no hook in between, and handlers that call other services fail
 * with the same exceptions. So the stack of the exception decides.
 */
final class FailedAnswer {

	private static final String DISPATCHER = "org.springframework.web.servlet.DispatcherServlet";

	private static final int LONGEST = 50;

	private FailedAnswer() {
	}

	/**
	 * Whether a handler had returned when an exception was thrown. The stacks of the
	 * causes are examined from the root cause outwards.
	 */
	static boolean isReasonFor(Throwable failure) {
		Deque<Throwable> causes = new ArrayDeque<>();
		for (Throwable next = failure; next != null && causes.size() < LONGEST; next = next.getCause()) {
			causes.push(next);
		}
		for (Throwable cause : causes) {
			for (StackTraceElement frame : cause.getStackTrace()) {
				if (isWriter(frame.getClassName(), frame.getMethodName())) {
					return true;
				}
				if (isDispatch(frame)) {
					// Frames further out belong to a handler that has forwarded to this
					// one
					return false;
				}
			}
		}
		return false;
	}

	private static boolean isDispatch(StackTraceElement frame) {
		return frame.getMethodName().equals("doDispatch") && frame.getClassName().equals(DISPATCHER);
	}

	private static boolean isWriter(String type, String method) {
		return switch (method) {
			case "writeWithMessageConverters" -> type.equals(
					"org.springframework.web.servlet.mvc.method.annotation.AbstractMessageConverterMethodProcessor");
			case "render" -> type.equals(DISPATCHER);
			case "writeTo" -> type.startsWith("org.springframework.web.servlet.function.");
			default -> false;
		};
	}

}
