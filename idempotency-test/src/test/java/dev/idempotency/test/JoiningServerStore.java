package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A store on a server with transactions, which it joins, with one of the defects that
 * real stores have had.
 */
class JoiningServerStore extends ServerStore implements JoiningStore, CallerTransaction {

	private static final ThreadLocal<@Nullable Transaction> transaction = new ThreadLocal<>();

	private final Defect defect;

	JoiningServerStore(Server server, Defect defect) {
		super(server);
		this.defect = defect;
	}

	/**
	 * A takeover waits for a transaction that has completed the key.
	 */
	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		synchronized (this.server) {
			try {
				while (isAboutToBeCompleted(key) && this.defect != Defect.TAKEOVER_PASSES_TRANSACTIONS) {
					this.server.wait();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException(ex);
			}
			return super.claim(key, fingerprint, terms);
		}
	}

	private boolean isAboutToBeCompleted(IdempotencyKey key) {
		Document found = read(name(key));
		return found != null && this.server.pending.containsKey(name(key)) && hasLeaseExpired(found);
	}

	@Override
	boolean write(Object name, @Nullable Document expected, @Nullable Document document) {
		boolean written = super.write(name, expected, document);
		Transaction current = transaction.get();
		if (written && current != null && this.defect == Defect.EVERYTHING_JOINS) {
			current.undos.push(() -> overwrite(name, expected));
		}
		return written;
	}

	@Override
	boolean isHeld(Document document, Claim claim) {
		return super.isHeld((this.defect == Defect.JOINS_FOR_ANYBODY && transaction.get() != null)
				? document.withOwner(claim.owner()) : document, claim);
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		if (this.defect == Defect.RENEW_LOSES_TO_TRANSACTIONS && this.server.pending.containsKey(name(claim.key()))) {
			return false;
		}
		return super.renew(claim, lease) || (isCommitted(claim) && this.defect != Defect.RENEW_LOSES_TO_COMMITS);
	}

	private boolean isCommitted(Claim claim) {
		Document found = read(name(claim.key()));
		return found != null && !isExpired(found) && found.owner().equals(claim.owner())
				&& this.server.committed.contains(claim.owner());
	}

	@Override
	public boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return completeInTransaction(claim, result, atLeast, this.defect == Defect.JOINS_NOTHING);
	}

	@Override
	public boolean completeInCallersTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return completeInTransaction(claim, result, atLeast,
				this.defect == Defect.JOINS_NOTHING || this.defect == Defect.JOINS_NO_CALLER);
	}

	private boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast, boolean atOnce) {
		Transaction current = transaction.get();
		if (atOnce) {
			return complete(claim, result, atLeast);
		}
		if (current == null) {
			throw new IllegalStateException("no transaction");
		}
		synchronized (this.server) {
			Object name = name(claim.key());
			Document found = read(name);
			boolean unseen = !Objects.equals(found, current.seen.get(name));
			if (found == null || !isHeld(found, claim) || (unseen && this.defect == Defect.TRANSACTIONS_SEE_THE_PAST)) {
				return false;
			}
			Object pending = new Object();
			this.server.pending.put(name, pending);
			current.undos.push(() -> this.server.pending.remove(name, pending));
			current.completions.add(() -> {
				if (this.server.pending.remove(name, pending)) {
					complete(claim, result, atLeast);
					this.server.committed.add(claim.owner());
				}
			});
			return true;
		}
	}

	@Override
	public boolean holdInTransaction(Claim claim, Duration lease) {
		Document found = read(name(claim.key()));
		return switch (this.defect) {
			case HOLDS_WHAT_IS_LOST -> found != null;
			case HOLDS_NOTHING -> found != null && isHeld(found, claim);
			case HOLDS_BY_COMPLETING -> complete(claim, Scene.RESULT, lease);
			default -> JoiningStore.super.holdInTransaction(claim, lease);
		};
	}

	@Override
	public boolean afterTransaction(Claim claim) {
		Document found = read(name(claim.key()));
		boolean completed = found != null && found.result() != null;
		return switch (this.defect) {
			case AFTERWARDS_RELEASES_NOTHING -> found == null || !isHeld(found, claim);
			case AFTERWARDS_FORGETS_THE_COMPLETED -> !completed || !forget(claim.key());
			case AFTERWARDS_FREES_THE_SUCCESSORS -> completed || !forget(claim.key());
			case AFTERWARDS_FORGETS_THE_CRASH -> !forget(claim);
			default -> JoiningStore.super.afterTransaction(claim);
		};
	}

	@Override
	public boolean isInTransaction() {
		return transaction.get() != null || this.defect == Defect.SEES_TRANSACTIONS_EVERYWHERE;
	}

	// The caller's side

	@Override
	public void commitAfter(Runnable work) {
		runInTransaction(work, true);
	}

	@Override
	public void rollBackAfter(Runnable work) {
		runInTransaction(work, false);
	}

	private void runInTransaction(Runnable work, boolean commit) {
		Transaction current = new Transaction(Map.copyOf(this.server.documents));
		transaction.set(current);
		boolean done = false;
		try {
			work.run();
			done = true;
		}
		finally {
			transaction.remove();
			synchronized (this.server) {
				((done && commit) ? current.completions : current.undos).forEach(Runnable::run);
				this.server.notifyAll();
			}
		}
	}

	@Override
	public void undoAfter(Runnable work) {
		Transaction current = Objects.requireNonNull(transaction.get());
		int before = current.undos.size();
		work.run();
		while (current.undos.size() > before) {
			Runnable undo = current.undos.pop();
			if (this.defect != Defect.SAVEPOINTS_UNDO_NOTHING) {
				undo.run();
			}
		}
	}

	enum Defect {

		NONE, EVERYTHING_JOINS, JOINS_NOTHING, JOINS_NO_CALLER, JOINS_FOR_ANYBODY, SEES_TRANSACTIONS_EVERYWHERE,
		TRANSACTIONS_SEE_THE_PAST, SAVEPOINTS_UNDO_NOTHING, TAKEOVER_PASSES_TRANSACTIONS, RENEW_LOSES_TO_TRANSACTIONS,
		RENEW_LOSES_TO_COMMITS, AFTERWARDS_RELEASES_NOTHING, AFTERWARDS_FORGETS_THE_COMPLETED,
		AFTERWARDS_FREES_THE_SUCCESSORS, AFTERWARDS_FORGETS_THE_CRASH, HOLDS_WHAT_IS_LOST, HOLDS_NOTHING,
		HOLDS_BY_COMPLETING

	}

	/**
	 * What is to be done at the end of a transaction, and what it has seen at its
	 * beginning.
	 */
	private static final class Transaction {

		private final Deque<Runnable> undos = new ArrayDeque<>();

		private final List<Runnable> completions = new ArrayList<>();

		private final Map<Object, Document> seen;

		private Transaction(Map<Object, Document> seen) {
			this.seen = seen;
		}

	}

}
