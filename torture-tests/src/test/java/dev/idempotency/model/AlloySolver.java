package dev.idempotency.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import edu.mit.csail.sdg.alloy4.A4Reporter;
import edu.mit.csail.sdg.alloy4.ErrorWarning;
import edu.mit.csail.sdg.ast.Command;
import edu.mit.csail.sdg.parser.CompModule;
import edu.mit.csail.sdg.parser.CompUtil;
import edu.mit.csail.sdg.translator.A4Options;
import edu.mit.csail.sdg.translator.A4Solution;
import edu.mit.csail.sdg.translator.A4Tuple;
import edu.mit.csail.sdg.translator.A4TupleSet;
import edu.mit.csail.sdg.translator.TranslateAlloyToKodkod;
import kodkod.engine.satlab.SATFactory;

/**
 * Alloy with SAT4J, which is Java and runs everywhere. {@link ProtocolModel} loads this
 * class beside Alloy itself.
 */
public final class AlloySolver implements Solver {

	/**
	 * What a model is called that is in no file.
	 */
	private static final String FILE = "/model.als";

	@Override
	public Finding run(String model, String command, List<List<String>> actions) {
		Size size = new Size();
		CompModule module = CompUtil.parseEverything_fromFile(size, new HashMap<>(Map.of(FILE, model)), FILE);
		Command chosen = module.getAllCommands()
			.stream()
			.filter((each) -> each.label.equals(command))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no command " + command));
		A4Options options = new A4Options();
		options.solver = SATFactory.DEFAULT;
		long began = System.nanoTime();
		A4Solution solution = TranslateAlloyToKodkod.execute_command(size, module.getAllReachableSigs(), chosen,
				options);
		Duration time = Duration.ofNanos(System.nanoTime() - began);
		return new Finding(solution.satisfiable(), size.variables, size.clauses, time,
				solution.satisfiable() ? steps(module, solution, actions) : List.of());
	}

	private static List<String> steps(CompModule module, A4Solution solution, List<List<String>> actions) {
		List<String> steps = new ArrayList<>();
		for (int state = 0; state < solution.getTraceLength(); state++) {
			List<String> taken = new ArrayList<>();
			for (String action : actions.get(0)) {
				addActors(taken, action, evaluate(module, solution, "{ a: Attempt | %s[a] }".formatted(action), state));
			}
			for (String action : actions.get(1)) {
				addActors(taken, action,
						evaluate(module, solution, "{ i: Instance | %s[i] }".formatted(action), state));
			}
			for (String action : actions.get(2)) {
				if (Boolean.TRUE.equals(evaluate(module, solution, action, state))) {
					taken.add(action);
				}
			}
			steps.add(String.join(" or ", taken));
		}
		return steps;
	}

	private static void addActors(List<String> taken, String action, Object actors) {
		for (A4Tuple actor : (A4TupleSet) actors) {
			taken.add("%s[%s]".formatted(action, actor.atom(0)));
		}
	}

	private static Object evaluate(CompModule module, A4Solution solution, String expression, int state) {
		return solution.eval(CompUtil.parseOneExpression_fromString(module, expression), state);
	}

	/**
	 * Remembers how large the latest formula was. What Alloy warns of fails the test.
	 */
	private static final class Size extends A4Reporter {

		private int variables;

		private int clauses;

		@Override
		public void warning(ErrorWarning warning) {
			throw new IllegalStateException(warning);
		}

		@Override
		public void solve(int step, int primaryVariables, int totalVariables, int clauses) {
			this.variables = totalVariables;
			this.clauses = clauses;
		}

	}

}
