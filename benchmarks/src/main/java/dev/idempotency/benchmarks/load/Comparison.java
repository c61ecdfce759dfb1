package dev.idempotency.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import dev.idempotency.benchmarks.load.Subject.Round;

/**
 * Compares two subjects under load, in turns, so that a slow phase of the machine affects
 * both. Figures are medians of rounds; a ratio is the median of the ratios of each pair.
 */
final class Comparison {

	private final Subject base;

	private final Subject subject;

	private final List<Round> ofBase = new ArrayList<>();

	private final List<Round> ofSubject = new ArrayList<>();

	private Comparison(Subject base, Subject subject) {
		this.base = base;
		this.subject = subject;
	}

	/**
	 * Compares two subjects.
	 * @param base the dividend of ratios: more than 1 means that the other costs less
	 * @param baseLoad the load on the base
	 * @param subject the other subject
	 * @param load the load on the other subject
	 * @param effort how long to measure
	 */
	static Comparison of(Subject base, Workload baseLoad, Subject subject, Workload load, Effort effort) {
		Comparison comparison = new Comparison(base, subject);
		base.run(baseLoad, effort.warmUp());
		subject.run(load, effort.warmUp());
		for (int i = 0; i < effort.rounds(); i++) {
			// In alternating order, so that neither always runs first
			if (i % 2 == 0) {
				comparison.ofBase.add(base.run(baseLoad, effort.requests()));
			}
			comparison.ofSubject.add(subject.run(load, effort.requests()));
			if (i % 2 != 0) {
				comparison.ofBase.add(base.run(baseLoad, effort.requests()));
			}
		}
		return comparison;
	}

	Spread cpuRatio() {
		return ratio(Round::cpuNanos);
	}

	Spread timeRatio() {
		return ratio(Round::nanos);
	}

	Spread moreBytes() {
		return Spread.of(pairs((base, subject) -> subject.bytes() - base.bytes()));
	}

	double baseMicros() {
		return micros(this.ofBase, Round::cpuNanos);
	}

	double micros() {
		return micros(this.ofSubject, Round::cpuNanos);
	}

	double baseCompilerMicros() {
		return micros(this.ofBase, Round::compilerNanos);
	}

	double compilerMicros() {
		return micros(this.ofSubject, Round::compilerNanos);
	}

	private static double micros(List<Round> rounds, ToDoubleFunction<Round> nanos) {
		return Spread.of(rounds.stream().map((round) -> nanos.applyAsDouble(round) / 1000).toList()).median();
	}

	private Spread ratio(ToDoubleFunction<Round> figure) {
		return Spread.of(pairs((base, subject) -> figure.applyAsDouble(base) / figure.applyAsDouble(subject)));
	}

	private List<Double> pairs(Pairing pairing) {
		List<Double> values = new ArrayList<>();
		for (int i = 0; i < this.ofBase.size(); i++) {
			values.add(pairing.of(this.ofBase.get(i), this.ofSubject.get(i)));
		}
		return values;
	}

	/**
	 * Returns the names of both subjects.
	 */
	String names() {
		return "%s / %s".formatted(this.subject.name(), this.base.name());
	}

	/**
	 * Combines a round of each.
	 */
	@FunctionalInterface
	private interface Pairing {

		double of(Round base, Round subject);

	}

	/**
	 * How long to measure.
	 *
	 * @param rounds how often
	 * @param requests how many in each round
	 * @param warmUp how many before
	 */
	record Effort(int rounds, int requests, int warmUp) {
	}

}
