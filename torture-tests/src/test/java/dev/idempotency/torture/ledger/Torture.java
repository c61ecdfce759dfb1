package dev.idempotency.torture.ledger;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.fixtures.Unchecked;

import org.springframework.util.FileSystemUtils;

/**
 * One run: processes, clients and faults, and then the questions.
 */
final class Torture {

	private static final int CLIENTS = 24;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final TortureOptions options;

	private final Path folder;

	private final Plan plan;

	private final ClientLog log = new ClientLog();

	private final Disturbances disturbances = new Disturbances();

	private Torture(TortureOptions options, Path folder) {
		this.options = options;
		this.folder = folder;
		this.plan = new Plan(options.seed(), options.lease(), options.pausesForAKill());
	}

	static Report run(TortureOptions options) {
		return Unchecked.get(() -> {
			Path folder = Files.createTempDirectory("torture-");
			Report report = new Torture(options, folder).run();
			if (report.violations().isEmpty()) {
				FileSystemUtils.deleteRecursively(folder);
			}
			return report;
		});
	}

	private Report run() {
		ExecutorService threads = Executors.newCachedThreadPool();
		try (TorturedStore store = this.options.store().start();
				Fleet fleet = new Fleet(this.options, store, this.folder, this.plan).start()) {
			List<Client> clients = IntStream.range(0, CLIENTS)
				.mapToObj((i) -> new Client(this.options, fleet, this.log, this.plan.randomFor("client", i)))
				.toList();
			torture(store, fleet, clients, threads);
			fleet.awaitReady();
			fleet.heal();
			Set<KeyOfCaller> settled = settle(fleet, clients, threads);
			Facts facts = new Facts(this.options.transactional(), this.options.lease(), this.log.answers(), settled,
					Journal.read(Slot.journal(this.folder)), store.effects(), completed(store, settled),
					this.disturbances.list());
			return Report.of(this.options, this.log, this.disturbances, fleet.cuts(), facts, this.folder);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private void torture(TorturedStore store, Fleet fleet, List<Client> clients, ExecutorService threads) {
		long deadline = System.nanoTime() + this.options.lasting().toNanos();
		Injector injector = new Injector(store, fleet, this.disturbances, this.options.lease(), deadline, threads);
		CompletableFuture<Void> faults = CompletableFuture.allOf(
				CompletableFuture.runAsync(() -> injector.run(this.plan.faultsOfProcesses(fleet.size())), threads),
				CompletableFuture.runAsync(
						() -> injector.run(this.plan.faultsOfStore(store.faults(), fleet.size(), store.ports().size())),
						threads));
		Stream<CompletableFuture<Void>> asking = clients.stream().map((client) -> CompletableFuture.runAsync(() -> {
			while (System.nanoTime() < deadline || !faults.isDone()) {
				client.askForSomething();
			}
		}, threads));
		CompletableFuture.allOf(Stream.concat(Stream.of(faults), asking).toArray(CompletableFuture<?>[]::new)).join();
	}

	/**
	 * Finds out where each key is. That is one place, and memory says nothing.
	 */
	private static Map<KeyOfCaller, Integer> completed(TorturedStore store, Set<KeyOfCaller> settled) {
		int places = store.ports().size();
		if (places == 0) {
			return settled.stream().collect(Collectors.toMap((key) -> key, (key) -> 0));
		}
		return IntStream.range(0, places)
			.boxed()
			.flatMap((place) -> store.completed(place).stream().map((key) -> Map.entry(key, place)))
			.collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
	}

	/**
	 * Asks for everything once more, until there is a last word.
	 */
	private Set<KeyOfCaller> settle(Fleet fleet, List<Client> clients, ExecutorService threads) {
		Slot.Route first = fleet.slot(0).route();
		List<KeyOfCaller> keys = this.log.keys()
			.stream()
			.filter((key) -> first != null && this.options.keyLivesIn(key.key(), first.generation()))
			.toList();
		AtomicInteger next = new AtomicInteger();
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		CompletableFuture.allOf(clients.stream().map((client) -> CompletableFuture.runAsync(() -> {
			for (int i = next.getAndIncrement(); i < keys.size(); i = next.getAndIncrement()) {
				client.ask(keys.get(i), false, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
			}
		}, threads)).toArray(CompletableFuture<?>[]::new)).join();
		return new HashSet<>(keys);
	}

}
