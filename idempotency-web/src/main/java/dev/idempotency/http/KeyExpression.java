package dev.idempotency.http;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.call.ConcatenatedKey;
import dev.idempotency.http.ClientContract.KeyField;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * An expression that makes a key of parts of the request. It is parsed once. It may call
 * the functions of {@link KeyParts}, and join or add their results. Types, constructors,
 * beans and variables are not allowed.
 */
public final class KeyExpression implements KeySource {

	/**
	 * The most characters of a key, which is stored with its record and shown to
	 * operators.
	 */
	static final int MAX_LENGTH = 1024;

	/**
	 * The functions that return a part, and how many arguments each takes.
	 */
	private static final Map<String, Integer> FUNCTIONS = Map.of("header", 1, "body", 1, "path", 1, "query", 1,
			"derived", 0);

	/**
	 * Headers that grant access. Keys are readable in the store.
	 */
	private static final Set<String> CREDENTIALS = Set.of("authorization", "proxy-authorization", "cookie");

	private static final EvaluationContext CONTEXT = SimpleEvaluationContext.forReadOnlyDataBinding()
		.withInstanceMethods()
		.build();

	private final SpelExpression expression;

	private final Map<String, Set<String>> calls;

	private KeyExpression(SpelExpression expression, Map<String, Set<String>> calls) {
		this.expression = expression;
		this.calls = calls;
	}

	/**
	 * Parses an expression.
	 * @return the source of keys
	 * @throws IllegalArgumentException if it is invalid, with the reason
	 */
	public static KeyExpression parse(String text) {
		try {
			SpelExpression expression = new SpelExpressionParser().parseRaw(text);
			Map<String, Set<String>> calls = new HashMap<>();
			check(expression.getAST(), calls);
			if (calls.isEmpty()) {
				throw new IllegalArgumentException("all requests would share one key");
			}
			return new KeyExpression(expression, calls);
		}
		catch (ParseException ex) {
			throw new IllegalArgumentException(ex.toDetailedString(), ex);
		}
	}

	private static void check(SpelNode node, Map<String, Set<String>> calls) {
		if (ConcatenatedKey.isJoin(node) && node.getChildCount() < 2) {
			throw new IllegalArgumentException("join() takes two parts or more");
		}
		if (ConcatenatedKey.isJoin(node) || node instanceof OpPlus) {
			for (int i = 0; i < node.getChildCount(); i++) {
				check(node.getChild(i), calls);
			}
		}
		else if (node instanceof MethodReference call) {
			checkCall(call, calls);
		}
		else if (!(node instanceof StringLiteral)) {
			throw new IllegalArgumentException("%s is not allowed".formatted(node.toStringAST()));
		}
	}

	private static void checkCall(MethodReference call, Map<String, Set<String>> calls) {
		Integer arguments = FUNCTIONS.get(call.getName());
		if (arguments == null) {
			throw new IllegalArgumentException("there is no function %s()".formatted(call.getName()));
		}
		if (call.getChildCount() != arguments) {
			throw new IllegalArgumentException("%s() takes %d argument(s)".formatted(call.getName(), arguments));
		}
		Set<String> names = calls.computeIfAbsent(call.getName(), (function) -> new HashSet<>());
		for (int i = 0; i < arguments; i++) {
			if (!(call.getChild(i) instanceof StringLiteral literal)) {
				throw new IllegalArgumentException("%s() takes a string in quotes".formatted(call.getName()));
			}
			String name = String.valueOf(literal.getLiteralValue().getValue());
			if (call.getName().equals("header") && CREDENTIALS.contains(name.toLowerCase(Locale.ROOT))) {
				throw new IllegalArgumentException(
						"%s grants access, and keys are readable in the store; the scope tells callers apart"
							.formatted(name));
			}
			names.add(name);
		}
	}

	@Override
	public List<KeyField> headers() {
		return this.calls.getOrDefault("header", Set.of())
			.stream()
			.sorted()
			.map((name) -> new KeyField(name, null))
			.toList();
	}

	/**
	 * A variable of the route is always present: without it, the route does not match.
	 */
	@Override
	public boolean mayBeMissing() {
		return !this.calls.keySet().equals(Set.of("path"));
	}

	@Override
	public boolean isDerived() {
		return this.calls.containsKey("derived");
	}

	/**
	 * A parameter may be part of a form, and thus of the body.
	 */
	@Override
	public boolean needsContent() {
		return this.calls.containsKey("body") || this.calls.containsKey("query") || isDerived();
	}

	/**
	 * The variables of the route that the key is made of.
	 * @return their names
	 */
	public Set<String> pathVariables() {
		return this.calls.getOrDefault("path", Set.of());
	}

	/**
	 * A warning for the log at startup. A derived part always has the same length, and is
	 * not ambiguous.
	 * @return the warning, or {@code null} if there is none
	 */
	public @Nullable String warning() {
		return ConcatenatedKey.warningAbout(this.expression.getAST(), (node) -> node instanceof StringLiteral
				|| (node instanceof MethodReference call && call.getName().equals("derived")));
	}

	@Override
	public String description() {
		return this.expression.getExpressionString();
	}

	@Override
	public String resolve(ProtectedRequest request) {
		try {
			String key = this.expression.getValue(CONTEXT, new KeyParts(request), String.class);
			if (key == null || key.isBlank()) {
				throw new IdempotencyKeyMissingException(
						"The key of this operation is made of parts of the request, and they are empty.");
			}
			if (key.length() > MAX_LENGTH) {
				throw new IdempotencyKeyInvalidException(
						"The key is too long: its parts have more than %d characters.".formatted(MAX_LENGTH));
			}
			if (key.chars().anyMatch(Character::isISOControl)) {
				throw new IdempotencyKeyInvalidException("The parts of the key have control characters.");
			}
			return key;
		}
		catch (EvaluationException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw ex;
		}
	}

}
