package dev.idempotency.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Why there is no answer.
 *
 * @param error what went wrong, for people
 */
public record ProblemView(String error) implements OperationResponseBody {
}
