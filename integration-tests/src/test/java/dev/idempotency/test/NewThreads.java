package dev.idempotency.test;

import java.util.List;
import java.util.Set;

/**
 * Threads of a name that have begun since this object was made. Those of other tests in
 * the same process, which may have left an application open, are older.
 */
public final class NewThreads {

	private final String name;

	private final Set<Thread> older;

	public NewThreads(String name) {
		this.name = name;
		this.older = Thread.getAllStackTraces().keySet();
	}

	public List<Thread> alive() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals(this.name))
			.filter((thread) -> !this.older.contains(thread))
			.toList();
	}

}
