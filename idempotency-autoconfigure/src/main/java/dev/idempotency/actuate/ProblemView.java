package dev.idempotency.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Why a request to the endpoint failed.
 *
 * @param error a readable description
 */
record ProblemView(String error) implements OperationResponseBody {
}
