package dev.idempotency.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;

/**
 * Finds keys that {@code +} puts together from several parts that vary: where a part has
 * the text in it that stands between them, two keys become one.
 */
public final class GluedParts {

	/**
	 * The function that puts parts together so that no two lists of them meet.
	 */
	public static final String JOIN = "join";

	private GluedParts() {
	}

	/**
	 * What is to be said about an expression.
	 * @param fixed whether something always is the same, or of the same length
	 * @return a warning, or {@code null} if all is well
	 */
	public static @Nullable String warningAbout(SpelNode expression, Predicate<SpelNode> fixed) {
		List<SpelNode> parts = new ArrayList<>();
		collect(expression, parts);
		List<String> varying = parts.stream().filter(fixed.negate()).map(SpelNode::toStringAST).toList();
		if (varying.size() > 1) {
			return "is joined by +: parts that are cut otherwise (\"a:b\" and \"c\", \"a\" and \"b:c\") give one and the same key. "
					+ "Write %s(%s) instead".formatted(JOIN, String.join(", ", varying));
		}
		return parts.stream()
			.filter(GluedParts::isJoin)
			.flatMap((join) -> children(join).stream())
			.map((part) -> warningAbout(part, fixed))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Whether a node of an expression is a call of {@value #JOIN}.
	 */
	public static boolean isJoin(SpelNode node) {
		return node instanceof MethodReference call && call.getName().equals(JOIN);
	}

	/**
	 * Whether a node of an expression puts two others together.
	 */
	public static boolean isPlus(SpelNode node) {
		return node instanceof OpPlus && node.getChildCount() == 2;
	}

	private static void collect(SpelNode node, List<SpelNode> parts) {
		if (isPlus(node)) {
			children(node).forEach((child) -> collect(child, parts));
		}
		else {
			parts.add(node);
		}
	}

	private static List<SpelNode> children(SpelNode node) {
		List<SpelNode> children = new ArrayList<>();
		for (int i = 0; i < node.getChildCount(); i++) {
			children.add(node.getChild(i));
		}
		return children;
	}

}
