package dev.idempotency.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Steps that are given to the model: is there a behaviour that takes them?
 * <p>
 * A step is an action with its actor, such as {@code claim[a]}, {@code stall[left]} or
 * {@code advance}. Attempts begin in the order in which they are named.
 *
 * @param instances on which instance each attempt is made
 * @param steps the steps
 * @param repeated steps that follow, again and again; if there are none, nothing follows
 * @param ttl how many ticks a ttl lasts
 */
public record Script(Map<String, String> instances, List<String> steps, List<String> repeated, int ttl) {

	/**
	 * As many as in the scopes that the model states.
	 */
	private static final int TTL = 3;

	public Script {
		instances = new LinkedHashMap<>(instances);
		steps = List.copyOf(steps);
		repeated = List.copyOf(repeated);
	}

	static Script of(Map<String, String> instances, List<String> steps, List<String> repeated) {
		return new Script(instances, steps, repeated, TTL);
	}

	/**
	 * How many states it takes: after the last step, there is one in which it stays.
	 */
	int states() {
		return this.steps.size() + Math.max(1, this.repeated.size());
	}

	/**
	 * The scope in which it has its place.
	 */
	String scope() {
		return "exactly %d Attempt, 1 Key, %d Instance, exactly %d Tick, %d..%d steps".formatted(this.instances.size(),
				this.instances.values().stream().distinct().count(), this.ttl + 1, states(), states());
	}

	/**
	 * The steps, one after the other, as a formula.
	 * @param condition what else is to hold
	 */
	String formula(String condition) {
		List<String> facts = new ArrayList<>();
		this.instances.forEach((attempt, instance) -> facts.add("%s.instance = %s".formatted(attempt, instance)));
		return """
				some disj %s: Attempt, disj %s: Instance {
					%s
					%s
					%s ; %s
				}""".formatted(String.join(", ", this.instances.keySet()),
				String.join(", ", this.instances.values().stream().distinct().toList()), String.join("\n\t", facts),
				condition, String.join(" ; ", this.steps), ending());
	}

	private String ending() {
		if (this.repeated.isEmpty()) {
			return "(always idle)";
		}
		List<String> following = new ArrayList<>();
		for (int i = 0; i < this.repeated.size(); i++) {
			following.add("always (%s implies after %s)".formatted(this.repeated.get(i),
					this.repeated.get((i + 1) % this.repeated.size())));
		}
		return "(%s and %s)".formatted(this.repeated.get(0), String.join(" and ", following));
	}

}
