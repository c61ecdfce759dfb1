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
 * Finds keys that {@code +} concatenates from several varying parts. If a part contains
 * the separator, two different calls get the same key.
 */
public final class ConcatenatedKey {

	/**
	 * The function that joins parts without collisions.
	 */
	public static final String JOIN = "join";

	private ConcatenatedKey() {
	}

	/**
	 * Checks an expression.
	 * @param fixed whether a part is constant, or has a constant length
	 * @return a warning, or {@code null} if there is none
	 */
	public static @Nullable String warningAbout(SpelNode expression, Predicate<SpelNode> fixed) {
		List<SpelNode> parts = new ArrayList<>();
		collect(expression, parts);
		List<String> varying = parts.stream().filter(fixed.negate()).map(SpelNode::toStringAST).toList();
		if (varying.size() > 1) {
			return "is joined by +: different parts (\"a:b\" and \"c\", \"a\" and \"b:c\") give the same key. "
					+ "Write %s(%s) instead".formatted(JOIN, String.join(", ", varying));
		}
		return parts.stream()
			.filter(ConcatenatedKey::isJoin)
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
	 * Whether a node of an expression concatenates two others.
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
