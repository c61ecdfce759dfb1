package dev.idempotency.method;

import java.lang.reflect.Method;
import java.time.temporal.TemporalAccessor;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.call.ConcatenatedKey;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.SpelNodeImpl;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * The key expression of a method, over its arguments. It is parsed once, and can use no
 * types, constructors or beans. Each part of {@code join} or {@code +} must have a value,
 * because a key with a missing part would be shared by unrelated calls.
 */
final class MethodKey {

	private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

	private static final List<Class<? extends SpelNode>> FORBIDDEN = List.of(TypeReference.class,
			ConstructorReference.class, BeanReference.class, FunctionReference.class, Assign.class, OpInc.class,
			OpDec.class);

	private final String text;

	private final String operation;

	private final @Nullable String[] parameterNames;

	private final SpelNode expression;

	private MethodKey(String text, String operation, @Nullable String[] parameterNames, SpelNode expression) {
		this.text = text;
		this.operation = operation;
		this.parameterNames = parameterNames;
		this.expression = expression;
	}

	/**
	 * Parses an expression.
	 * @throws IllegalArgumentException if it is not one, with the reason
	 */
	static MethodKey parse(String text, String operation, Method method) {
		if (text.isBlank()) {
			throw new IllegalArgumentException(
					"it is blank, and a method that is not a web handler has no header with a key");
		}
		@Nullable String[] names = PARAMETER_NAMES.getParameterNames(method);
		@Nullable String[] known = (names != null) ? names : new @Nullable String[method.getParameterCount()];
		try {
			SpelNode expression = new SpelExpressionParser().parseRaw(text).getAST();
			Set<String> variables = new HashSet<>();
			check(expression, true, variables);
			requireKnown(variables, known, names == null);
			if (variables.isEmpty() && method.getParameterCount() > 0) {
				throw new IllegalArgumentException("all calls would share one key");
			}
			return new MethodKey(text, operation, known, expression);
		}
		catch (ParseException ex) {
			throw new IllegalArgumentException(ex.toDetailedString(), ex);
		}
	}

	/**
	 * Checks an expression.
	 * @param part whether its value goes into the key directly, and not into another
	 * expression
	 */
	private static void check(SpelNode node, boolean part, Set<String> variables) {
		if (FORBIDDEN.contains(node.getClass())) {
			throw new IllegalArgumentException("%s is not allowed".formatted(node.toStringAST()));
		}
		if (node instanceof VariableReference) {
			variables.add(node.toStringAST().substring(1));
		}
		if (ConcatenatedKey.isJoin(node) && (!part || node.getChildCount() < 2)) {
			throw new IllegalArgumentException(
					"join() takes two parts or more, and cannot be used inside another expression");
		}
		checkChildren(node, part && (ConcatenatedKey.isJoin(node) || ConcatenatedKey.isPlus(node)), variables);
	}

	private static void checkChildren(SpelNode node, boolean parts, Set<String> variables) {
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (node instanceof CompoundExpression && i > 0 && ConcatenatedKey.isJoin(child)) {
				// A method of an argument, with the same name
				checkChildren(child, false, variables);
			}
			else {
				check(child, parts, variables);
			}
		}
	}

	private static void requireKnown(Set<String> variables, @Nullable String[] names, boolean unnamed) {
		Set<String> known = new HashSet<>(Set.of("this"));
		for (int i = 0; i < names.length; i++) {
			known.add("p" + i);
			known.add("a" + i);
			if (names[i] != null) {
				known.add(names[i]);
			}
		}
		for (String variable : variables) {
			if (!known.contains(variable)) {
				throw new IllegalArgumentException("there is no parameter %s%s".formatted(variable,
						unnamed ? ", or its name is unknown: compile with -parameters, or write #p0" : ""));
			}
		}
	}

	/**
	 * Makes the key of a call.
	 * @throws IdempotencyKeyMissingException if a part of it is missing
	 * @throws IdempotencyKeyInvalidException if it cannot be used
	 */
	IdempotencyKey resolve(@Nullable Object[] arguments) {
		SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
			.withInstanceMethods()
			.build();
		for (int i = 0; i < arguments.length; i++) {
			context.setVariable("p" + i, arguments[i]);
			context.setVariable("a" + i, arguments[i]);
			String name = (i < this.parameterNames.length) ? this.parameterNames[i] : null;
			if (name != null) {
				context.setVariable(name, arguments[i]);
			}
		}
		String value = textOf(this.expression, context);
		return usable(() -> IdempotencyKey.of(this.operation, value));
	}

	private <T> T usable(Supplier<T> key) {
		try {
			return key.get();
		}
		catch (IllegalArgumentException ex) {
			throw invalid("the key is too long or malformed",
					"Use fewer parts, or a digest such as IdempotencyKeys.sha256");
		}
	}

	private String textOf(SpelNode node, SimpleEvaluationContext context) {
		if (ConcatenatedKey.isPlus(node)) {
			return textOf(node.getChild(0), context) + textOf(node.getChild(1), context);
		}
		if (ConcatenatedKey.isJoin(node)) {
			String[] parts = new String[node.getChildCount()];
			for (int i = 0; i < parts.length; i++) {
				parts[i] = textOf(node.getChild(i), context);
			}
			return usable(() -> IdempotencyKeys.join(parts));
		}
		SpelNodeImpl part = (SpelNodeImpl) node;
		return textOf(part, evaluate(part, context));
	}

	private @Nullable Object evaluate(SpelNodeImpl part, SimpleEvaluationContext context) {
		try {
			Object value = part.getTypedValue(new ExpressionState(context)).getValue();
			return (value instanceof Optional<?> optional) ? optional.orElse(null) : value;
		}
		catch (EvaluationException | IllegalStateException ex) {
			// The message names types and properties, never values
			throw invalid("%s fails: %s".formatted(part.toStringAST(), ex.getMessage()),
					"Check the expression, and whether its values can be null");
		}
	}

	private String textOf(SpelNodeImpl part, @Nullable Object value) {
		if (value == null || (value instanceof CharSequence text && text.toString().isBlank())) {
			throw new IdempotencyKeyMissingException(
					"The key \"%s\" of %s is missing: %s is %s. Pass a value, or use a key that is never null or blank."
						.formatted(this.text, this.operation, part.toStringAST(), (value == null) ? "null" : "blank"));
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof CharSequence || value instanceof Number || value instanceof Boolean
				|| value instanceof Character || value instanceof UUID || value instanceof TemporalAccessor) {
			return value.toString();
		}
		// The text of most other objects differs from one process to the next
		throw invalid("%s is a %s".formatted(part.toStringAST(), value.getClass().getName()),
				"Use a text, a number, a UUID, a date or an enum");
	}

	/**
	 * The warning at startup, if any.
	 */
	@Nullable String warning() {
		return ConcatenatedKey.warningAbout(this.expression, Literal.class::isInstance);
	}

	/**
	 * The expression.
	 */
	@Override
	public String toString() {
		return this.text;
	}

	private IdempotencyKeyInvalidException invalid(String reason, String remedy) {
		return new IdempotencyKeyInvalidException(
				"The key \"%s\" of %s cannot be used: %s. %s.".formatted(this.text, this.operation, reason, remedy));
	}

}
