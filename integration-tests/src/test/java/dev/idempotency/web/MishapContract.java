package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import dev.idempotency.web.Mishaps.Around;
import dev.idempotency.web.Mishaps.Cell;
import dev.idempotency.web.Mishaps.Mishap;
import dev.idempotency.web.Mishaps.Point;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every kind of handler meets every mishap behind every filter. Whatever happens, it runs
 * once for its key, its client and the retries get what the same application responds
 * without the library, and nobody else is harmed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MishapContract {

	private static final int AT_ONCE = 8;

	private static final int ROUNDS = LongRun.choose(1, 3);

	/**
	 * Of what depends on chance.
	 */
	private static final int MORE_ROUNDS = LongRun.choose(3, 30);

	/**
	 * What every build meets behind filters, too.
	 */
	private static final Set<Mishap> IN_EVERY_BUILD = Set.of(Mishap.NOTHING, Mishap.FAILS, Mishap.COMPLETION_ERROR);

	private static final Duration LONGER_THAN_A_LEASE = Duration.ofMinutes(10);

	private static final Duration LONGER_THAN_A_RECORD = Duration.ofDays(2);

	private static final Set<Integer> NOT_STORED = Set.of(408, 409, 423, 425, 429);

	/**
	 * What differs from one sending to another.
	 */
	private static final Pattern CHANGING = Pattern.compile("no\\. \\d+ [0-9a-f-]{36}|"
			+ "\\d{4}-\\d\\d-\\d\\dT[0-9:.+Z]+|(?<=\"requestId\":\")[^\"]*|(?<=localhost:)\\d+|(?<==|\")-?\\d+(?=\"|]|$)");

	private final Map<String, Seen> seen = new ConcurrentHashMap<>();

	@AutoClose
	private TestServer server;

	@AutoClose
	private TestServer without;

	@BeforeAll
	void start() {
		this.server = start(List.of(WebTestApplication.class, Mishaps.class, MovableStore.class),
				"spring.main.allow-bean-definition-overriding=true",
				"idempotency.operations.[POST /kinds/events].store-events=true");
		this.without = start(List.of(WebTestApplication.class, Mishaps.class),
				"spring.main.allow-bean-definition-overriding=true", "idempotency.enabled=false");
		MovableStore store = this.server.bean(MovableStore.class);
		Mishaps mishaps = this.server.bean(Mishaps.class);
		store.plan((verb) -> mishaps.fault(verb, store.key()));
	}

	/**
	 * Starts an application on the stack of this test, with the filters that there are.
	 */
	abstract TestServer start(List<Class<?>> sources, String... properties);

	abstract List<String> kinds();

	abstract List<Around> filters();

	/**
	 * Whether these three can meet.
	 */
	abstract boolean isPossible(String kind, Around around, Mishap mishap);

	/**
	 * Whether nothing but its lease ends the claim.
	 */
	abstract boolean isLeftToLease(Cell cell);

	/**
	 * Whether retries may learn that the response is lost.
	 */
	abstract boolean mayBeLost(Cell cell);

	/**
	 * Whether the server knows when a client leaves that is held.
	 */
	abstract boolean noticesThatClientLeaves(Mishap mishap);

	/**
	 * The filter around the same application without the library.
	 */
	abstract Around withoutLibrary(Around around);

	@TestFactory
	Stream<DynamicContainer> meet() {
		return filters().stream()
			.flatMap((around) -> Arrays.stream(Mishap.values())
				.filter((mishap) -> LongRun.isLong() || around == Around.NOTHING || IN_EVERY_BUILD.contains(mishap))
				.map((mishap) -> DynamicContainer.dynamicContainer("%s, %s".formatted(around, mishap),
						Stream.of(mishap).flatMap((it) -> meet(around, it)))));
	}

	private Stream<DynamicTest> meet(Around around, Mishap mishap) {
		List<String> kinds = kinds().stream().filter((kind) -> isPossible(kind, around, mishap)).toList();
		Map<String, Queue<String>> harm = new TreeMap<>();
		MovableStore store = this.server.bean(MovableStore.class);
		int rounds = (mishap == Mishap.LEAVES_ANY_TIME) ? MORE_ROUNDS : ROUNDS;
		for (int round = 0; round < rounds; round++) {
			List<Meeting> meetings = kinds.stream()
				.map((kind) -> new Meeting(new Cell(kind, around, mishap),
						harm.computeIfAbsent(kind, (it) -> new ConcurrentLinkedQueue<>())))
				.toList();
			together(meetings, Meeting::begin);
			store.passWithoutRenewal(LONGER_THAN_A_LEASE);
			together(meetings, Meeting::end);
			store.pass(LONGER_THAN_A_RECORD);
		}
		return kinds.stream()
			.map((kind) -> DynamicTest.dynamicTest(kind, () -> assertThat(harm.get(kind)).as(kind).isEmpty()));
	}

	private void together(List<Meeting> meetings, Consumer<Meeting> step) {
		Queue<Meeting> left = new ConcurrentLinkedQueue<>(meetings);
		Race.run(AT_ONCE, () -> {
			for (Meeting next = left.poll(); next != null; next = left.poll()) {
				next.take(step);
			}
			return left;
		});
	}

	private static Seen send(TestServer server, Cell cell) {
		try {
			return new Seen(server.post("/kinds/" + cell.kind()).key(cell.key()).send());
		}
		catch (IllegalStateException ex) {
			return new Seen(null);
		}
	}

	/**
	 * What the same application responds without the library.
	 */
	private Seen expected(Cell cell, Mishap mishap) {
		Around around = withoutLibrary(cell.around());
		return this.seen.computeIfAbsent("%s, %s, %s".formatted(cell.kind(), around, mishap), (name) -> {
			// Without the library, what a handler writes late may harm other requests
			Cell control = new Cell(cell.kind(), around,
					(mishap == Mishap.TIMES_OUT) ? Mishap.TIMES_OUT_AND_FAILS : mishap);
			this.without.bean(Mishaps.class).begin(control);
			CompletableFuture<Seen> first = Background.start(() -> send(this.without, control));
			if (mishap.timesOut()) {
				first.join();
			}
			control.letGo();
			return first.join();
		});
	}

	/**
	 * What a client saw, or that it was cut off.
	 */
	private record Seen(@Nullable Answer answer) {

		boolean isStored() {
			return this.answer != null && this.answer.status() < 500 && !NOT_STORED.contains(this.answer.status());
		}

		boolean isRefused() {
			return is("in-progress") || is("not-replayable");
		}

		boolean is(String problem) {
			return this.answer != null && this.answer.text().contains("urn:idempotency:" + problem);
		}

		/**
		 * What does not change from one sending to another.
		 */
		String lasting() {
			if (this.answer == null) {
				return "cut off";
			}
			Map<String, List<String>> headers = this.answer.lastingHeaders();
			// What is held until it is stored has a known length
			headers.keySet().removeAll(Set.of("content-length", "transfer-encoding"));
			String type = this.answer.header("Content-Type");
			Charset charset = type.contains("UTF-16BE") ? StandardCharsets.UTF_16BE : StandardCharsets.UTF_8;
			byte[] body = this.answer.body();
			String text = (body.length > 10_000) ? body.length + " bytes" : new String(body, charset);
			String all = headers.entrySet()
				.stream()
				.map((header) -> header.getKey().toLowerCase(Locale.ROOT) + header.getValue())
				.collect(Collectors.joining(" ", this.answer.status() + " ", "\n" + text));
			return CHANGING.matcher(all).replaceAll("*");
		}

	}

	/**
	 * A request that meets its mishap, and what comes after it.
	 */
	private final class Meeting {

		private final Cell cell;

		private final Queue<String> harm;

		private @Nullable Seen first;

		private int successes;

		private Meeting(Cell cell, Queue<String> harm) {
			this.cell = cell;
			this.harm = harm;
		}

		private void take(Consumer<Meeting> step) {
			try {
				step.accept(this);
			}
			catch (Exception | AssertionError ex) {
				this.harm.add("%s: %s".formatted(this.cell, ex));
			}
			finally {
				this.cell.letGo();
			}
		}

		private void check(boolean right, String what, @Nullable Object... found) {
			if (!right) {
				this.harm.add("%s: %s: %s".formatted(this.cell, what, Arrays.toString(found)));
			}
		}

		private Seen send() {
			return MishapContract.send(MishapContract.this.server, this.cell);
		}

		private void checkInProgress() {
			Seen retry = send();
			check(retry.is("in-progress"), "is not in progress", retry);
		}

		private void begin() {
			MishapContract.this.server.bean(Mishaps.class).begin(this.cell);
			if (this.cell.mishap().leaves()) {
				leave();
			}
			else {
				this.first = stay();
				checkFirst(this.first);
			}
			askOthers();
			if (isLeftToLease(this.cell)) {
				checkInProgress();
			}
			else {
				retry();
			}
			this.successes = this.cell.successes();
			check(this.successes <= 1, "ran again", this.successes);
		}

		private void leave() {
			SocketWire wire = SocketWire.post(MishapContract.this.server, "/kinds/" + this.cell.kind(),
					this.cell.key());
			try {
				switch (this.cell.mishap()) {
					case LEAVES_ANY_TIME ->
						LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(6)));
					case LEAVES_READING -> wire.readHead();
					default -> this.cell.awaitHeld();
				}
			}
			catch (IOException ex) {
				check(false, "no response", ex);
			}
			wire.hangUp();
			if (noticesThatClientLeaves(this.cell.mishap())) {
				this.cell.awaitLeft();
			}
			this.cell.letGo();
		}

		private Seen stay() {
			CompletableFuture<Seen> begun = Background.start(this::send);
			if (this.cell.mishap().held() == Point.CLAIM) {
				this.cell.awaitHeld();
				CompletableFuture<Seen> duplicate = Background.start(this::send);
				this.cell.letGo();
				// Whichever was first
				return begun.join().isRefused() ? duplicate.join() : begun.join();
			}
			if (this.cell.mishap().timesOut()) {
				begun.join();
			}
			if (this.cell.mishap().held() != null) {
				this.cell.awaitHeld();
				checkInProgress();
				this.cell.letGo();
			}
			return begun.join();
		}

		private void checkFirst(Seen first) {
			Mishap mishap = this.cell.mishap();
			if (mishap.endsInError()) {
				check(first.answer() == null || first.answer().status() == 500, "no error", first);
			}
			else if (!(first.is("store-unavailable") && mishap.name().startsWith("CLAIM"))
					&& !(first.is("in-progress") && mishap == Mishap.FAILS_TO_RELEASE)) {
				checkSame(first, expected(this.cell, (mishap.fails() || mishap.timesOut()) ? mishap : Mishap.NOTHING));
			}
		}

		private void checkSame(Seen found, Seen expected) {
			check(found.lasting().equals(expected.lasting()), "differs", found.lasting(), expected.lasting(), found);
		}

		private void askOthers() {
			for (String neighbour : List.of("streamed", "whole", "streamed")) {
				String name = TestServer.newKey();
				try {
					Answer answer = MishapContract.this.server.post("/neighbours/%s/%s".formatted(neighbour, name))
						.header("X-Name", name)
						.body("text/plain", "body of " + name)
						.send();
					check(answer.status() == 202 && answer.text().equals(name + "|body of " + name)
							&& answer.header("X-Name").equals(name), "neighbour", answer);
				}
				catch (IllegalStateException ex) {
					check(false, "neighbour", ex);
				}
			}
		}

		/**
		 * Retries until there is an answer, and once more.
		 */
		private void retry() {
			Seen last = await().dontCatchUncaughtExceptions()
				.atMost(Duration.ofSeconds(10))
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(2))
				.until(this::send, (it) -> !it.is("in-progress"));
			Seen again = send();
			if (last.is("not-replayable")) {
				check(mayBeLost(this.cell), "is lost", last);
			}
			else {
				checkSame(last, expected(this.cell, wasStored() ? this.cell.mishap() : Mishap.NOTHING));
				check(again.is("not-replayable") ? mayBeLost(this.cell) : isReplay(again, last), "is no replay", again,
						last);
			}
			if (wasStored()) {
				check(last.is("not-replayable") ? mayBeLost(this.cell) : isReplay(last, this.first), "no replay", last,
						this.first);
			}
		}

		/**
		 * Whether the first response must have been stored.
		 */
		private boolean wasStored() {
			return this.first != null && this.first.isStored() && !this.cell.mishap().timesOut()
					&& !isLeftToLease(this.cell);
		}

		private static boolean isReplay(Seen again, @Nullable Seen first) {
			return again.answer() != null && first != null && first.answer() != null && again.answer().isReplay()
					&& again.answer().status() == first.answer().status()
					&& Arrays.equals(again.answer().body(), first.answer().body());
		}

		private void end() {
			boolean left = isLeftToLease(this.cell);
			if (left) {
				retry();
			}
			check(this.cell.together() <= 1, "ran twice at once", this.cell.together());
			int runs = this.cell.successes() - (left ? this.successes : 0)
					+ (this.cell.successes() == 0 && wasStored() ? this.cell.failures() : 0);
			check(runs == 1, "runs", this.successes, this.cell.successes(), this.cell.failures());
		}

	}

}
