package dev.idempotency.store.jdbc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The latest few thousand keys that had a record when this instance last saw them. A
 * claim of such a key most probably needs only a read. That halves what a replay costs
 * the server in PostgreSQL (measured: 15 instead of 28 µs of its CPU time), and saves one
 * of two round trips in other databases. A wrong guess costs a second query and nothing
 * else.
 */
final class RecentKeys {

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private static final int SLOTS = 1 << 13;

	/**
	 * After the prefix that all keys of the same value share.
	 */
	private static final int SLOT_OFFSET = 8;

	private static final int MARK_OFFSET = 16;

	private final AtomicLongArray marks = new AtomicLongArray(SLOTS);

	boolean contains(byte[] id) {
		return this.marks.getOpaque(slot(id)) == mark(id);
	}

	void add(byte[] id) {
		this.marks.setOpaque(slot(id), mark(id));
	}

	void remove(byte[] id) {
		this.marks.compareAndSet(slot(id), mark(id), 0);
	}

	private static int slot(byte[] id) {
		return (int) (long) LONG.get(id, SLOT_OFFSET) & (SLOTS - 1);
	}

	private static long mark(byte[] id) {
		return (long) LONG.get(id, MARK_OFFSET);
	}

}
