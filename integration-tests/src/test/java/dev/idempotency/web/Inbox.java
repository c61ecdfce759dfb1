package dev.idempotency.web;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * What an application does about the events that it is told of.
 */
final class Inbox {

	private final Executions executions;

	private final Gates gates = new Gates();

	private final Set<String> failing = ConcurrentHashMap.newKeySet();

	private final Set<String> held = ConcurrentHashMap.newKeySet();

	private final Map<String, byte[]> payloads = new ConcurrentHashMap<>();

	Inbox(Executions executions) {
		this.executions = executions;
	}

	String receive(String id, byte[] payload) {
		String receipt = this.executions.next(id);
		this.payloads.put(id, payload);
		if (this.held.contains(id)) {
			this.gates.open(id + " runs");
			this.gates.await(id);
		}
		if (this.failing.remove(id)) {
			throw new IllegalStateException("Something that is needed is away");
		}
		return receipt;
	}

	/**
	 * Fails the next time that an event comes.
	 */
	void failOn(String id) {
		this.failing.add(id);
	}

	/**
	 * Sends a delivery, and returns when its handler runs, which then goes on until it is
	 * {@linkplain #letGo let go}.
	 */
	CompletableFuture<Answer> hold(String id, TestServer.Call delivery) {
		this.held.add(id);
		CompletableFuture<Answer> answer = Background.start(delivery::send);
		this.gates.await(id + " runs");
		return answer;
	}

	void letGo(String id) {
		this.gates.open(id);
	}

	/**
	 * How many events it has been told of.
	 */
	int size() {
		return this.payloads.size();
	}

	/**
	 * What came with an event.
	 */
	byte @Nullable [] payload(String id) {
		return this.payloads.get(id);
	}

}
