package dev.idempotency.torture.ledger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Everything that chance decides, drawn from a seed. The same seed gives the same faults
 * in the same order and with the same pauses in between, the same clocks, the same way of
 * cutting connections, and clients that ask for the same in the same order. What it does
 * not give is the same moment: how far the processes have come when a fault hits them is
 * up to the machine. So a seed that found something finds it again soon, and not always
 * at once.
 */
final class Plan {

	private static final int FAULTS = 2000;

	private final long seed;

	private final Duration lease;

	private final int pausesForAKill;

	/**
	 * Makes a plan.
	 * @param lease for how long claims hold
	 * @param pausesForAKill how many processes are paused for each one that is killed
	 */
	Plan(long seed, Duration lease, int pausesForAKill) {
		this.seed = seed;
		this.lease = lease;
		this.pausesForAKill = pausesForAKill;
	}

	/**
	 * A source of chance for one purpose, which nobody else draws from.
	 */
	Random randomFor(String purpose, int number) {
		return new Random(this.seed * 31 + (purpose + number).hashCode());
	}

	/**
	 * What happens to processes, one after the other.
	 */
	List<Fault> faultsOfProcesses(int slots) {
		return faults(randomFor("processes", 0), Set.of(Fault.Kind.values()), Fault.Kind::isOfProcess, slots, 1);
	}

	/**
	 * What happens to the store meanwhile, in one of its places at a time.
	 */
	List<Fault> faultsOfStore(Set<Fault.Kind> possible, int slots, int places) {
		return faults(randomFor("store", 0), possible, (kind) -> !kind.isOfProcess(), slots, places);
	}

	/**
	 * Each kind comes once, or as often as wanted, before any comes again.
	 */
	private List<Fault> faults(Random random, Set<Fault.Kind> possible, Predicate<Fault.Kind> wanted, int slots,
			int places) {
		List<Fault.Kind> kinds = new ArrayList<>(possible.stream().filter(wanted).sorted().toList());
		if (kinds.contains(Fault.Kind.PAUSE)) {
			kinds.addAll(Collections.nCopies(this.pausesForAKill - 1, Fault.Kind.PAUSE));
		}
		List<Fault> faults = new ArrayList<>();
		while (!kinds.isEmpty() && faults.size() < FAULTS) {
			Collections.shuffle(kinds, random);
			for (Fault.Kind kind : kinds) {
				faults.add(new Fault(kind, millis(random, 200, 1500), random.nextInt(slots), random.nextInt(places),
						lasting(kind, random)));
			}
		}
		return faults;
	}

	private Duration lasting(Fault.Kind kind, Random random) {
		int whole = (int) this.lease.toMillis();
		return switch (kind) {
			// Mostly past the lease, and sometimes just about as long
			case PAUSE -> millis(random, whole * 9 / 10, whole * 5 / 2);
			case PAUSE_STORE -> millis(random, whole, whole * 2);
			case CUT_STORE -> millis(random, 0, whole * 3 / 2);
			case STALL_STORE -> millis(random, whole / 4, whole * 3 / 2);
			case SLOW_STORE -> millis(random, whole / 2, whole * 2);
			case KILL, RESTART_STORE, FAIL_OVER -> Duration.ZERO;
		};
	}

	private static Duration millis(Random random, int from, int to) {
		return Duration.ofMillis(random.nextInt(from, to));
	}

	/**
	 * By how much the clock of each process is wrong: minutes, in both directions.
	 */
	List<Duration> clocks(int slots) {
		Random random = randomFor("clocks", 0);
		return IntStream.range(0, slots)
			.mapToObj((slot) -> Duration.ofSeconds(random.nextLong(60, 1800)).multipliedBy((slot % 2 == 0) ? 1 : -1))
			.toList();
	}

}
