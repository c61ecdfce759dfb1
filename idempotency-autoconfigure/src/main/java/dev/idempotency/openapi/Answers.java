package dev.idempotency.openapi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.idempotency.Reason;
import dev.idempotency.http.ClientContract;
import dev.idempotency.http.EffectHeader;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ReplayedAnswer;
import dev.idempotency.http.Settlement;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Documents the responses that clients get. The application's own documentation stays,
 * and ours is added. Responses are copied first, since springdoc lets operations share
 * them.
 */
final class Answers {

	private static final String PROBLEM = "IdempotencyProblem";

	private static final String PROBLEM_JSON = org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE;

	private static final Set<Integer> RETRIED_LATER = Set.of(409, 429, 503);

	private final String problemBase;

	private final boolean expires;

	Answers(String problemBase, boolean expires) {
		this.problemBase = problemBase;
		this.expires = expires;
	}

	/**
	 * The response of a handler, with the headers of a protected endpoint.
	 */
	ApiResponse withResultHeaders(ApiResponse documented, ClientContract contract, Components components) {
		if (documented.get$ref() != null) {
			return documented;
		}
		ApiResponse answer = copy(documented);
		addHeader(answer, components, EffectHeader.NAME, effect());
		if (contract.enforced()) {
			addHeader(answer, components, ReplayedAnswer.HEADER, replayed());
			if (this.expires) {
				addHeader(answer, components, Settlement.EXPIRES, expires());
			}
		}
		return answer;
	}

	/**
	 * Adds the responses to refused requests.
	 */
	void refusals(ClientContract contract, ApiResponses documented, Components components) {
		Map<Integer, List<Reason>> byStatus = contract.problems()
			.stream()
			.collect(Collectors.groupingBy(Problems::statusOf, TreeMap::new, Collectors.toList()));
		byStatus.forEach((status, problems) -> {
			ApiResponse own = documented.get(String.valueOf(status));
			if (own == null || own.get$ref() == null) {
				documented.put(String.valueOf(status), refusal(status, problems, own, components));
			}
		});
	}

	private ApiResponse refusal(int status, List<Reason> problems, @Nullable ApiResponse own, Components components) {
		ApiResponse answer = (own != null) ? copy(own) : new ApiResponse();
		String description = problems.stream()
			.map((problem) -> "%s (`%s`).".formatted(Problems.titleOf(problem),
					Problems.uriOf(problem, this.problemBase)))
			.collect(Collectors.joining(" "));
		answer.setDescription(
				(answer.getDescription() != null) ? answer.getDescription() + "\n\n" + description : description);
		Content content = (answer.getContent() != null) ? answer.getContent() : new Content();
		content.put(PROBLEM_JSON, problemOr(content.get(PROBLEM_JSON), components));
		answer.setContent(content);
		addHeader(answer, components, EffectHeader.NAME, effect());
		if (RETRIED_LATER.contains(status)) {
			addHeader(answer, components, HttpHeaders.RETRY_AFTER, retryAfter());
		}
		return answer;
	}

	private MediaType problemOr(@Nullable MediaType own, Components components) {
		if (components.getSchemas() == null || !components.getSchemas().containsKey(PROBLEM)) {
			components.addSchemas(PROBLEM, problem());
		}
		Schema<?> ours = new Schema<>().$ref("#/components/schemas/" + PROBLEM);
		if (own == null || own.getSchema() == null) {
			return new MediaType().schema(ours);
		}
		return new MediaType().schema(new Schema<>().anyOf(new ArrayList<>(List.of(own.getSchema(), ours))))
			.example(own.getExample())
			.examples(own.getExamples());
	}

	private Schema<?> problem() {
		List<String> types = Arrays.stream(Reason.values())
			.filter((reason) -> Problems.titleOf(reason) != null)
			.sorted(Comparator.comparing(Problems::statusOf))
			.map((reason) -> Problems.uriOf(reason, this.problemBase))
			.toList();
		ObjectSchema problem = new ObjectSchema();
		problem.setDescription("Why a request did not run, and what to do next (RFC 9457).");
		problem.addProperty("type", new StringSchema()._enum(types).description("The type of the problem."));
		problem.addProperty("title", new StringSchema().description("What happened."));
		problem.addProperty("status", new IntegerSchema().description("The status of the response."));
		problem.addProperty("detail", new StringSchema().description("What to do next."));
		problem.setRequired(List.of("type", "title", "status"));
		return problem;
	}

	private static ApiResponse copy(ApiResponse answer) {
		ApiResponse copy = new ApiResponse().description(answer.getDescription()).links(answer.getLinks());
		copy.setExtensions(answer.getExtensions());
		if (answer.getHeaders() != null) {
			copy.setHeaders(new LinkedHashMap<>(answer.getHeaders()));
		}
		if (answer.getContent() != null) {
			Content content = new Content();
			content.putAll(answer.getContent());
			copy.setContent(content);
		}
		return copy;
	}

	private static void addHeader(ApiResponse answer, Components components, String name, Header header) {
		if (components.getHeaders() == null || !components.getHeaders().containsKey(name)) {
			components.addHeaders(name, header);
		}
		if (answer.getHeaders() == null || !answer.getHeaders().containsKey(name)) {
			answer.addHeaderObject(name, new Header().$ref("#/components/headers/" + name));
		}
	}

	private static Header effect() {
		return new Header()
			.description("What this request did: noop on a replay, none if nothing ran, would_… on a dry run.")
			.schema(new StringSchema());
	}

	private static Header replayed() {
		return new Header().description("true if this is the stored response of an earlier request; absent otherwise.")
			.schema(new StringSchema()._enum(List.of("true")));
	}

	private static Header expires() {
		return new Header()
			.description(
					"Until when the response is remembered, as an HTTP date. Absent if it is not remembered, and the "
							+ "first time it is sent if it is streamed.")
			.schema(new StringSchema());
	}

	private static Header retryAfter() {
		return new Header()
			.description("The number of seconds after which to try again. While the same request is in progress: "
					+ "1 at first, more the longer it takes.")
			.schema(new IntegerSchema().format(null));
	}

}
