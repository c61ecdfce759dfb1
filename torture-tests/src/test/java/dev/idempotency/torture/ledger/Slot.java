package dev.idempotency.torture.ledger;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.idempotency.torture.BootProcess;
import org.jspecify.annotations.Nullable;

import org.springframework.web.client.RestTemplate;

/**
 * A place for a process: where one is killed, the next one comes.
 */
final class Slot implements AutoCloseable {

	private final int index;

	private final TortureOptions options;

	private final TorturedStore store;

	private final Path folder;

	private final ClockAgent agent;

	private final Duration clock;

	private final Plan plan;

	private final List<StoreLink> storeLinks;

	private final AtomicInteger cuts;

	private final AtomicInteger generation = new AtomicInteger();

	private volatile @Nullable BootProcess process;

	private volatile @Nullable Route route;

	private volatile boolean healed;

	Slot(int index, TortureOptions options, TorturedStore store, Path folder, ClockAgent agent, Duration clock,
			Plan plan, AtomicInteger cuts) {
		this.index = index;
		this.options = options;
		this.store = store;
		this.folder = folder;
		this.agent = agent;
		this.clock = clock;
		this.plan = plan;
		this.cuts = cuts;
		List<Integer> ports = store.ports();
		this.storeLinks = IntStream.range(0, ports.size())
			.mapToObj((place) -> new StoreLink(ports.get(place), plan.randomFor("store link " + place, index)))
			.toList();
	}

	/**
	 * The way from here to a place of the store.
	 */
	StoreLink storeLink(int place) {
		return this.storeLinks.get(place);
	}

	/**
	 * The process that is here now.
	 */
	String instance() {
		return this.index + "." + this.generation.get();
	}

	/**
	 * Begins to start the next process.
	 */
	void launch() {
		this.generation.incrementAndGet();
		List<String> settings = new ArrayList<>(
				this.store.settings(this.storeLinks.stream().map(StoreLink::port).toList()));
		settings.addAll(this.options.settings());
		settings.addAll(List.of("--torture.instance=" + instance(),
				"--torture.infested=" + !this.options.bugs().isEmpty(), "--torture.journal=" + journal(this.folder),
				"--server.tomcat.threads.max=32", "--logging.level.root=warn"));
		this.process = BootProcess.launch(LedgerApplication.class, this.folder,
				List.of("-Xmx128m", this.agent.option(this.clock)), settings);
	}

	static Path journal(Path folder) {
		return folder.resolve("journal");
	}

	/**
	 * Waits until the process takes requests. One that could not start because something
	 * else went wrong meanwhile gets a successor.
	 */
	synchronized void awaitReady() {
		for (int i = 0; this.route == null; i++) {
			try {
				int port = running().ready().port();
				ClientLink link = new ClientLink(port,
						this.plan.randomFor("client link " + this.generation.get(), this.index), this.cuts);
				if (this.healed) {
					link.heal();
				}
				this.route = new Route(this.generation.get(), link);
			}
			catch (IllegalStateException ex) {
				if (i == 5) {
					throw ex;
				}
				launch();
			}
		}
	}

	/**
	 * Makes sure that the agent does its work.
	 */
	void requireWrongClock() {
		String told = new RestTemplate().getForObject("http://localhost:%d/time".formatted(running().port()),
				String.class);
		Duration difference = Duration.ofMillis(Long.parseLong(String.valueOf(told)) - System.currentTimeMillis());
		if (difference.minus(this.clock).abs().compareTo(Duration.ofSeconds(30)) > 0) {
			throw new IllegalStateException(
					"The clock is wrong by %s, and not by %s".formatted(difference, this.clock));
		}
	}

	private BootProcess running() {
		BootProcess running = this.process;
		if (running == null) {
			throw new IllegalStateException("Nothing was launched");
		}
		return running;
	}

	/**
	 * How to reach the process that is here now, if it is ready.
	 */
	@Nullable Route route() {
		return this.route;
	}

	void kill() {
		Route before = this.route;
		this.route = null;
		running().close();
		if (before != null) {
			before.link().close();
		}
	}

	void pause(Duration duration) {
		running().process().pause();
		Injector.pause(duration);
		running().process().resume();
	}

	/**
	 * Ends everything that goes wrong on the ways to and from here.
	 */
	void heal() {
		this.healed = true;
		this.storeLinks.forEach(StoreLink::heal);
		Route current = this.route;
		if (current != null) {
			current.link().heal();
		}
	}

	@Override
	public void close() {
		if (this.process != null) {
			kill();
		}
		this.storeLinks.forEach(StoreLink::close);
	}

	/**
	 * A way to a process.
	 *
	 * @param generation which process of its slot it is
	 */
	record Route(int generation, ClientLink link) {

		int port() {
			return this.link.port();
		}

	}

}
