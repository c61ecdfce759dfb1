package dev.idempotency.transactions;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

import dev.idempotency.fixtures.LongRun;
import org.jspecify.annotations.Nullable;

/**
 * Who makes a protected call, and in which transactions.
 *
 * @param group what kind of situation it is
 * @param name what it is called
 * @param setUp what the application consists of
 * @param protections what kinds of protection can be in it
 * @param fates what can become of the transaction that decides
 * @param play how it goes
 * @param ending what is to become of the work; {@code null} if that is as its fate is
 * @param bystander what is to become of what its caller has written besides; {@code null}
 * if it writes nothing
 * @param earlier what is to become of an earlier protected call; {@code null} if there is
 * none
 * @param ofPool whether the isolation is that of the pool, and no transaction asks for it
 * @param brief whether the lease is to be renewed meanwhile
 */
record Situation(Group group, String name, SetUp setUp, Set<Protection> protections, Set<Fate> fates,
		Consumer<Scene> play, @Nullable Outcomes ending, @Nullable Outcomes bystander, @Nullable Outcomes earlier,
		boolean ofPool, boolean brief) {

	static Situation of(Group group, String name, Set<Fate> fates, Consumer<Scene> play) {
		return new Situation(group, name, SetUp.ONE_MANAGER, EnumSet.of(Protection.JOINING, Protection.ANNOTATED),
				fates, play, null, null, null, false, false);
	}

	Situation in(SetUp other) {
		return new Situation(this.group, this.name, other, this.protections, this.fates, this.play, this.ending,
				this.bystander, this.earlier, this.ofPool, this.brief);
	}

	Situation protectedBy(Protection first, Protection... more) {
		return new Situation(this.group, this.name, this.setUp, EnumSet.of(first, more), this.fates, this.play,
				this.ending, this.bystander, this.earlier, this.ofPool, this.brief);
	}

	Situation without(Fate first, Fate... more) {
		return without(EnumSet.of(first, more));
	}

	Situation without(Set<Fate> others) {
		Set<Fate> left = EnumSet.copyOf(this.fates);
		left.removeAll(others);
		return new Situation(this.group, this.name, this.setUp, this.protections, left, this.play, this.ending,
				this.bystander, this.earlier, this.ofPool, this.brief);
	}

	/**
	 * Is much like another one: few fates are enough, unless there is time.
	 */
	Situation variation() {
		Set<Fate> others = EnumSet.copyOf(this.fates);
		others.removeAll(Fate.representatives());
		return LongRun.isLong() ? this : without(others);
	}

	/**
	 * What is to become of the work, where that does not follow from its fate.
	 */
	Situation ending(Outcomes outcomes) {
		return new Situation(this.group, this.name, this.setUp, this.protections, this.fates, this.play, outcomes,
				this.bystander, this.earlier, this.ofPool, this.brief);
	}

	Situation withBystander(Outcomes outcomes) {
		return new Situation(this.group, this.name, this.setUp, this.protections, this.fates, this.play, this.ending,
				outcomes, this.earlier, this.ofPool, this.brief);
	}

	Situation withEarlierCall(Outcomes outcomes) {
		return new Situation(this.group, this.name, this.setUp, this.protections, this.fates, this.play, this.ending,
				this.bystander, outcomes, this.ofPool, this.brief);
	}

	Situation withIsolationOfPool() {
		return new Situation(this.group, this.name, this.setUp, this.protections, this.fates, this.play, this.ending,
				this.bystander, this.earlier, true, this.brief);
	}

	Situation withBriefLease() {
		return new Situation(this.group, this.name, this.setUp, this.protections, this.fates, this.play, this.ending,
				this.bystander, this.earlier, this.ofPool, true);
	}

	Outcome expected(Protection protection, Fate fate) {
		return (this.ending != null) ? this.ending.of(protection, fate) : fate.outcome(protection);
	}

	@Override
	public String toString() {
		return this.group + ": " + this.name;
	}

	/**
	 * The rows of the matrix.
	 */
	enum Group {

		OWN_TRANSACTION, CALLERS_TRANSACTION, NESTED, REQUIRES_NEW, OTHER_MANAGER, READ_ONLY, BEFORE_COMMIT, JPA

	}

	/**
	 * What is to become of something.
	 */
	@FunctionalInterface
	interface Outcomes {

		Outcome of(Protection protection, Fate fate);

		/**
		 * The same as its transaction.
		 */
		static Outcomes asItsFate() {
			return (protection, fate) -> fate.outcome(protection);
		}

		static Outcomes always(Outcome outcome) {
			return (protection, fate) -> outcome;
		}

	}

}
