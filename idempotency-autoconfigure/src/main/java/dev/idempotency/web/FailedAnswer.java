package dev.idempotency.web;

/**
 * Tells the failure to write what a handler has returned from a failure of the handler.
 * Spring calls nobody in between, whatever is returned and however it is written, and the
 * same exceptions come from handlers that call other services. So the exception itself
 * has to say where it came from.
 */
final class FailedAnswer {

	private FailedAnswer() {
	}

	/**
	 * Whether a handler had returned when an exception was thrown.
	 */
	static boolean isReasonFor(Throwable failure) {
		for (StackTraceElement frame : failure.getStackTrace()) {
			if (isWriter(frame.getClassName(), frame.getMethodName())) {
				return true;
			}
		}
		return false;
	}

	private static boolean isWriter(String type, String method) {
		return switch (method) {
			case "writeWithMessageConverters" -> type.equals(
					"org.springframework.web.servlet.mvc.method.annotation.AbstractMessageConverterMethodProcessor");
			case "render" -> type.equals("org.springframework.web.servlet.DispatcherServlet");
			case "writeTo" -> type.startsWith("org.springframework.web.servlet.function.");
			default -> false;
		};
	}

}
