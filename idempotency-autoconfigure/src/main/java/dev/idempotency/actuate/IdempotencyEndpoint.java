package dev.idempotency.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.RecordState;
import dev.idempotency.Settlement;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.invoke.ParameterMappingException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The endpoint {@code idempotency}: shows the records, what happened to a key, and which
 * operations are protected. It also settles abandoned keys and forgets records.
 * <ul>
 * <li>{@code GET} gives an overview,</li>
 * <li>{@code GET records} finds records,</li>
 * <li>{@code GET records/{id}} reads one, {@code POST records/{id}} settles it if it is
 * abandoned, {@code DELETE records/{id}} forgets it,</li>
 * <li>{@code GET operations} lists the operations of the application.</li>
 * </ul>
 * By default, it only reads.
 */
@WebEndpoint(id = "idempotency", defaultAccess = Access.READ_ONLY)
public final class IdempotencyEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEndpoint.class);

	/**
	 * Its name.
	 */
	public static final EndpointId ID = EndpointId.of("idempotency");

	private static final String RECORDS = "records";

	private static final String OPERATIONS = "operations";

	private static final Pattern HASH = Pattern.compile("#?[0-9a-fA-F]{6,64}");

	private static final int CONFLICT = 409;

	private final SetupView setup;

	private final RecordActions actions;

	private final RecentAttempts recent;

	private final Supplier<OperationsReport> operations;

	/**
	 * Create the endpoint.
	 * @param setup how the application is set up
	 * @param actions the records
	 * @param recent what this instance did
	 * @param operations the operations of the application
	 */
	public IdempotencyEndpoint(SetupView setup, RecordActions actions, RecentAttempts recent,
			Supplier<OperationsReport> operations) {
		this.setup = setup;
		this.actions = actions;
		this.recent = recent;
		this.operations = operations;
	}

	/**
	 * Refuses requests with fields or parameters that the endpoint does not know, and
	 * tells clients what is wrong. Spring Boot would ignore the former, and keep the
	 * latter to itself.
	 */
	public static OperationInvokerAdvisor requestChecks() {
		return (endpoint, type, parameters, invoker) -> endpoint.equals(ID)
				? (context) -> invoke(invoker, parameters, context) : invoker;
	}

	private static @Nullable Object invoke(OperationInvoker invoker, OperationParameters parameters,
			InvocationContext context) {
		try {
			context.getArguments().forEach((name, value) -> check(parameters, name, value));
			return invoker.invoke(context);
		}
		catch (ParameterMappingException ex) {
			return problem(expected(ex.getParameter()), WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (InvalidEndpointRequestException ex) {
			return problem(String.valueOf(ex.getReason()), WebEndpointResponse.STATUS_BAD_REQUEST);
		}
	}

	private static void check(OperationParameters parameters, String name, @Nullable Object value) {
		List<OperationParameter> given = parameters.stream()
			.filter((it) -> it.getType() != SecurityContext.class)
			.toList();
		OperationParameter parameter = given.stream()
			.filter((it) -> it.getName().equals(name))
			.findFirst()
			.orElseThrow(() -> RecordActions.invalid("%s is unknown, known are %s".formatted(name,
					given.stream()
						.filter((it) -> it.getAnnotation(Selector.class) == null)
						.map(OperationParameter::getName)
						.toList())));
		if ("".equals(value) && parameter.getType() != String.class) {
			throw RecordActions.invalid(expected(parameter));
		}
	}

	private static String expected(OperationParameter parameter) {
		Class<?> type = parameter.getType();
		Object expected = (type == Duration.class) ? "a duration such as 10m"
				: (type == Boolean.class) ? "true or false" : "a whole number";
		if (type.isEnum()) {
			expected = Stream.of(type.getEnumConstants())
				.map((it) -> it.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
				.collect(Collectors.joining(" or "));
		}
		return "%s must be %s".formatted(parameter.getName(), expected);
	}

	/**
	 * Counts the records of the store and the recent attempts on this instance.
	 */
	@ReadOperation
	public WebEndpointResponse<?> overview() {
		return answer(
				() -> new OverviewView(this.setup.store(), this.setup, this.actions.count(), this.recent.series()));
	}

	/**
	 * Finds records, or lists the operations.
	 * @param view what to list
	 * @param key the client's key, in full
	 * @param hash the hash of the key as in logs and traces, or the start of an id
	 * @param operation what the key protects
	 * @param state the state of the record
	 * @param olderThan the least age, such as {@code 10m}
	 * @param youngerThan the greatest age
	 * @param page which page, from 0
	 * @param size how many records a page has
	 * @param caller the caller of the endpoint
	 */
	@ReadOperation
	public WebEndpointResponse<?> list(@Selector String view, @Nullable String key, @Nullable String hash,
			@Nullable String operation, @Nullable RecordState state, @Nullable Duration olderThan,
			@Nullable Duration youngerThan, @Nullable Integer page, @Nullable Integer size, SecurityContext caller) {
		if (view.equals(OPERATIONS)) {
			return answer(() -> OperationsView.of(this.operations.get()));
		}
		if (!view.equals(RECORDS)) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		return answer(() -> {
			RecordFilter filter = this.actions.all()
				.withKey(key)
				.withIdPrefix(idPrefix(hash))
				.withOperation(operation)
				.withState(state);
			return this.actions.search(withAge(filter, olderThan, youngerThan), page, size, caller);
		});
	}

	private static RecordFilter withAge(RecordFilter filter, @Nullable Duration least, @Nullable Duration greatest) {
		try {
			return filter.withAge(least, greatest);
		}
		catch (IllegalArgumentException ex) {
			throw RecordActions.invalid(String.valueOf(ex.getMessage()));
		}
	}

	private static @Nullable String idPrefix(@Nullable String hash) {
		if (hash == null) {
			return null;
		}
		if (!HASH.matcher(hash).matches()) {
			throw RecordActions.invalid("hash has 6 to %d hexadecimal digits".formatted(RecordId.LENGTH));
		}
		return hash.replace("#", "").toLowerCase(Locale.ROOT);
	}

	/**
	 * Reads a record.
	 * @param view {@code records}
	 * @param id the id of the record
	 * @param caller the caller of the endpoint
	 */
	@ReadOperation
	public WebEndpointResponse<?> read(@Selector String view, @Selector String id, SecurityContext caller) {
		return answer(() -> this.actions.read(nameOf(view, id), caller));
	}

	/**
	 * Settles an abandoned record. As done: retries get the given result, or learn that
	 * there is none. As not done: the next attempt with its key runs as a first one.
	 * @param view {@code records}
	 * @param id the id of the record
	 * @param outcome what happened to the abandoned attempt, as an operator has found out
	 * @param status the status of the response, for HTTP operations
	 * @param contentType the content type of the response; JSON by default
	 * @param headers further headers of the response, one per line
	 * @param body the body of the response
	 * @param value the value that the method returned, in JSON, for all other operations
	 * @param force whether to settle as done what a transaction has rolled back
	 * @param caller the caller of the endpoint
	 */
	@WriteOperation
	public WebEndpointResponse<?> settle(@Selector String view, @Selector String id, @Nullable Outcome outcome,
			@Nullable Integer status, @Nullable String contentType, @Nullable String headers, @Nullable String body,
			@Nullable String value, @Nullable Boolean force, SecurityContext caller) {
		return answer(() -> settle(nameOf(view, id), outcome,
				new GivenOutcome(status, contentType, headers, body, value), Boolean.TRUE.equals(force), caller));
	}

	private @Nullable Object settle(RecordId name, @Nullable Outcome outcome, GivenOutcome given, boolean force,
			SecurityContext caller) {
		if (outcome == null) {
			throw RecordActions.invalid("outcome must be done or not-done");
		}
		if (outcome == Outcome.NOT_DONE && !given.isEmpty()) {
			throw RecordActions.invalid(
					"outcome: an operation that was not done has no result (status, contentType, headers, body or value)");
		}
		if (outcome == Outcome.DONE && !force) {
			String operation = this.actions.rolledBack(name).orElse(null);
			if (operation != null) {
				return problem(
						("%s is transactional: what the latest attempt wrote to the database was rolled back, so settle it as not-done. "
								+ "If the operation was done nevertheless, add \"force\": true")
							.formatted(operation),
						CONFLICT);
			}
		}
		Settlement settlement = (outcome == Outcome.DONE) ? this.actions.settleAsDone(name, given.toResult())
				: this.actions.settleAsNotDone(name);
		return switch (settlement) {
			case NOT_FOUND -> null;
			case IN_PROGRESS -> problem(
					"The key is in progress until its lease ends in %d s, or for longer if its process is alive and renews it"
						.formatted(TimeUnit.MILLISECONDS.toSeconds(this.actions.leaseLeft(name).toMillis() + 999)),
					CONFLICT);
			case COMPLETED -> problem("The operation is completed, and needs no settling", CONFLICT);
			case SETTLED -> {
				logger.info("The record {} was settled as {} by {}", name,
						(outcome == Outcome.DONE) ? given.isEmpty() ? "done, without a result" : "done" : "not done",
						nameOf(caller));
				yield new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
			}
		};
	}

	private static WebEndpointResponse<?> problem(String reason, int status) {
		return new WebEndpointResponse<>(new ProblemView(reason), status);
	}

	/**
	 * Forgets a record. The next attempt with its key runs as a first one.
	 * @param view {@code records}
	 * @param id the id of the record
	 * @param caller the caller of the endpoint
	 */
	@DeleteOperation
	public WebEndpointResponse<?> forget(@Selector String view, @Selector String id, SecurityContext caller) {
		return answer(() -> {
			RecordId name = nameOf(view, id);
			if (!this.actions.forget(name)) {
				return null;
			}
			logger.info("The record {} was forgotten by {}: the next attempt with its key runs", name, nameOf(caller));
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		});
	}

	private static String nameOf(SecurityContext caller) {
		return (caller.getPrincipal() != null) ? caller.getPrincipal().getName() : "an unauthenticated caller";
	}

	private static RecordId nameOf(String view, String id) {
		if (!view.equals(RECORDS)) {
			throw RecordActions.invalid("there is nothing below " + OPERATIONS);
		}
		try {
			return new RecordId(id);
		}
		catch (IllegalArgumentException ex) {
			throw RecordActions.invalid("the id of a record has %d hexadecimal digits: search by key or hash to find it"
				.formatted(RecordId.LENGTH));
		}
	}

	private static WebEndpointResponse<?> answer(Supplier<@Nullable Object> question) {
		try {
			Object answer = question.get();
			if (answer instanceof WebEndpointResponse<?> response) {
				return response;
			}
			return (answer != null) ? new WebEndpointResponse<>(answer)
					: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		catch (UnsupportedOperationException ex) {
			return problem(String.valueOf(ex.getMessage()), WebEndpointResponse.STATUS_BAD_REQUEST);
		}
		catch (IdempotencyStoreException ex) {
			// Its message and cause may name servers: they belong in the log only
			logger.warn("{}: {}", ex.getMessage(), String.valueOf(ex.getCause()));
			return problem("The idempotency store failed, see the log", WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
	}

	/**
	 * What happened to an abandoned attempt, as an operator has found out.
	 */
	public enum Outcome {

		/**
		 * It did the work.
		 */
		DONE,

		/**
		 * It did nothing.
		 */
		NOT_DONE

	}

}
