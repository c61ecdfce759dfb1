package dev.idempotency.model;

import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.model.Solver.Finding;

/**
 * The model of the protocol, as it stands in {@code docs/model/protocol.als}.
 */
public final class ProtocolModel {

	/**
	 * Where the model is.
	 */
	static final Path FILE = Path.of("../docs/model/protocol.als");

	/**
	 * What an attempt, an instance and nobody does in it.
	 */
	static final List<List<String>> ACTIONS = List.of(
			List.of("claim", "takeover", "replay", "renew", "complete", "claimAgain", "release", "abandon",
					"letLeaseRunOut", "completeInTransaction", "commit", "rollBack", "find"),
			List.of("crash", "stall", "resume"), List.of("advance", "idle"));

	private static final String NOTHING_PLANTED = "fun Planted : set Mistake { none }";

	private static final Solver SOLVER = loadSolver();

	private final String text;

	private ProtocolModel(String text) {
		this.text = text;
	}

	/**
	 * The model without mistakes.
	 */
	public static ProtocolModel load() {
		return new ProtocolModel(Unchecked.get(() -> Files.readString(FILE)));
	}

	/**
	 * The same with a mistake.
	 */
	ProtocolModel plant(String mistake) {
		if (!this.text.contains(NOTHING_PLANTED)) {
			throw new IllegalStateException("There is no place for a mistake");
		}
		return new ProtocolModel(
				this.text.replace(NOTHING_PLANTED, "fun Planted : set Mistake { %s }".formatted(mistake)));
	}

	String text() {
		return this.text;
	}

	/**
	 * The names of all commands of one kind.
	 * @param kind {@code check} or {@code run}
	 */
	List<String> commands(String kind) {
		Matcher matcher = Pattern.compile("(?m)^%s (\\w+) for ".formatted(kind)).matcher(this.text);
		return matcher.results().map((match) -> match.group(1)).toList();
	}

	/**
	 * The names of all mistakes that can be planted.
	 */
	List<String> mistakes() {
		return List.of(first("(?s)\none sig ([\\w,\\s]+?) extends Mistake").split(",\\s+", -1));
	}

	/**
	 * What a property says.
	 */
	String assertion(String property) {
		return first("(?s)\nassert %s \\{(.*?)}\n".formatted(property));
	}

	private String first(String pattern) {
		Matcher matcher = Pattern.compile(pattern).matcher(this.text);
		if (!matcher.find()) {
			throw new IllegalArgumentException("The model has no " + pattern);
		}
		return matcher.group(1);
	}

	/**
	 * The scope of a command, as the model states it.
	 */
	String scope(String command) {
		return first("(?m)^\\w+ %s for (.*)$".formatted(command));
	}

	/**
	 * Runs a command within the scope that the model states.
	 */
	Finding run(String command) {
		return report(command, scope(command), SOLVER.run(this.text, command, ACTIONS));
	}

	/**
	 * Looks for a behaviour that breaks a property in so many states at most.
	 */
	Finding check(String property, int states) {
		String scope = scope(property).replaceAll("\\d+\\.\\.\\d+ steps", "%d..%d steps".formatted(states, states));
		return ask("check", property, scope, "");
	}

	/**
	 * Looks for a behaviour that begins with certain steps, and does nothing after them.
	 * @param script the steps
	 * @param condition what else is to hold of the behaviour
	 */
	public Finding follow(Script script, String condition) {
		return ask("run", "followed", script.scope(), """

				pred followed {
				%s
				}
				""".formatted(script.formula(condition)));
	}

	/**
	 * Asks something that the model does not ask by itself.
	 */
	private Finding ask(String kind, String command, String scope, String more) {
		String asking = "%s%s%n%s %s for %s%n".formatted(this.text.replaceAll("(?m)^(check|run) .*$", ""), more, kind,
				command, scope);
		return report(command, scope, SOLVER.run(asking, command, ACTIONS));
	}

	private static Finding report(String command, String scope, Finding finding) {
		System.out.printf(Locale.ROOT, "%-26s %-9s %,7d variables %,7d clauses %6.1f s  %s%n", command,
				finding.found() ? "found" : "not found", finding.variables(), finding.clauses(),
				finding.time().toMillis() / 1000.0, scope);
		return finding;
	}

	/**
	 * Alloy is one jar with everything in it, an old SLF4J among it. So it is on nobody's
	 * class path: a class loader of its own has the jar, the one class of the tests that
	 * uses it, and nothing else that they have.
	 */
	private static Solver loadSolver() {
		// The only thing that its logger listens to
		System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
		return Unchecked.get(() -> {
			URL alloy = Path.of(Objects.requireNonNull(System.getProperty("alloy.jar"), "alloy.jar")).toUri().toURL();
			URL tests = ProtocolModel.class.getProtectionDomain().getCodeSource().getLocation();
			ClassLoader apart = new URLClassLoader(new URL[] { alloy, tests }, new SharedTypes());
			try {
				return (Solver) apart.loadClass(AlloySolver.class.getName()).getDeclaredConstructor().newInstance();
			}
			catch (InvocationTargetException ex) {
				throw new IllegalStateException(ex.getCause());
			}
		});
	}

	/**
	 * What both sides know, beside the JDK.
	 */
	private static final class SharedTypes extends ClassLoader {

		SharedTypes() {
			super(ClassLoader.getPlatformClassLoader());
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			if (name.equals(Solver.class.getName()) || name.equals(Finding.class.getName())) {
				return Class.forName(name, false, Solver.class.getClassLoader());
			}
			throw new ClassNotFoundException(name);
		}

	}

}
