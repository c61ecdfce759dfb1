package dev.idempotency.web;

import java.util.Set;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyKeyMissingException;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.IntLiteral;
import org.springframework.expression.spel.ast.LongLiteral;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A key that is put together from parts of the request, as an annotation says. The
 * expression is parsed once, and may call the functions of {@link KeyParts} and join what
 * they give; there are no types, constructors, beans or variables in it.
 */
final class KeyExpression implements KeySource {

	/**
	 * A key is stored with its record, and shown to people who look for it.
	 */
	static final int MAX_LENGTH = 1024;

	private static final Set<String> FUNCTIONS = Set.of("header", "body", "path", "query", "derived");

	private static final EvaluationContext CONTEXT = SimpleEvaluationContext.forReadOnlyDataBinding()
		.withInstanceMethods()
		.build();

	private final SpelExpression expression;

	private KeyExpression(SpelExpression expression) {
		this.expression = expression;
	}

	/**
	 * Parses an expression.
	 * @throws IllegalArgumentException if it is not one, with the reason
	 */
	static KeyExpression parse(String text) {
		try {
			SpelExpression expression = new SpelExpressionParser().parseRaw(text);
			check(expression.getAST(), true);
			return new KeyExpression(expression);
		}
		catch (ParseException ex) {
			throw new IllegalArgumentException(ex.toDetailedString(), ex);
		}
	}

	private static void check(SpelNode node, boolean onRequest) {
		if (node instanceof MethodReference method) {
			if (onRequest && !FUNCTIONS.contains(method.getName())) {
				throw new IllegalArgumentException("there is no function %s()".formatted(method.getName()));
			}
		}
		else if (!(node instanceof CompoundExpression || node instanceof OpPlus || node instanceof StringLiteral
				|| node instanceof IntLiteral || node instanceof LongLiteral)) {
			throw new IllegalArgumentException("%s is not allowed".formatted(node.toStringAST()));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			check(node.getChild(i), i == 0 || !(node instanceof CompoundExpression));
		}
	}

	boolean isDerived() {
		return this.expression.getExpressionString().contains("derived");
	}

	@Override
	public String resolve(Facts facts) {
		try {
			String key = this.expression.getValue(CONTEXT, new KeyParts(facts), String.class);
			if (key == null || key.isBlank()) {
				throw new IdempotencyKeyMissingException(
						"The key of this operation is made of the request, and what it is made of is empty.");
			}
			if (key.length() > MAX_LENGTH) {
				throw new IdempotencyKeyInvalidException(
						"The key is too long: what it is made of has more than %d characters.".formatted(MAX_LENGTH));
			}
			if (key.chars().anyMatch(Character::isISOControl)) {
				throw new IdempotencyKeyInvalidException("What the key is made of has control characters.");
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
