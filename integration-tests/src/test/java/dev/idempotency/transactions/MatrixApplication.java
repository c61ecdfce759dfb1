package dev.idempotency.transactions;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.StoreTimer;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.store.IdempotencyStore;
import jakarta.persistence.EntityManager;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * An application whose protected work is whatever a scene wants it to be.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ MatrixApplication.Parts.class, MatrixApplication.ProtectedMethods.class, MatrixApplication.Handlers.class,
		MatrixApplication.SurroundingFilter.class, MatrixApplication.Neighbour.class,
		MatrixApplication.EventListeners.class, MatrixApplication.LastMoment.class, MatrixApplication.Renewals.class })
class MatrixApplication {

	/**
	 * What scenes need of the application.
	 */
	record Parts(DataSource dataSource, JdbcTemplate jdbc, PlatformTransactionManager manager, IdempotencyEngine engine,
			IdempotencyStore store, ProtectedMethods methods, Handlers handlers, Neighbour neighbour,
			LastMoment lastMoment, Renewals renewals, ApplicationContext context,
			ObjectProvider<EntityManager> entityManager) {
	}

	/**
	 * A method of each kind.
	 */
	static class ProtectedMethods {

		@Idempotent(key = "#id", transactional = true)
		public String joining(String id, Supplier<String> work) {
			return work.get();
		}

		@Idempotent(key = "#id", transactional = true, lease = Stage.BRIEF_LEASE)
		public String joiningBriefly(String id, Supplier<String> work) {
			return work.get();
		}

		@Idempotent(key = "#id", transactional = true)
		@Transactional(propagation = Propagation.NESTED)
		public String joiningNested(String id, Supplier<String> work) {
			return work.get();
		}

		@Idempotent(key = "#id")
		@Transactional
		public String annotated(String id, Supplier<String> work) {
			return work.get();
		}

		@Idempotent(key = "#id", lease = Stage.BRIEF_LEASE)
		@Transactional
		public String annotatedBriefly(String id, Supplier<String> work) {
			return work.get();
		}

		@Idempotent(key = "#id")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public String apart(String id, Supplier<String> work) {
			return work.get();
		}

		@Idempotent(key = "#id")
		@Transactional(propagation = Propagation.NESTED)
		public String nested(String id, Supplier<String> work) {
			return work.get();
		}

		@Idempotent(key = "#id")
		@Transactional("otherManager")
		public String ofOther(String id, Supplier<String> work) {
			return work.get();
		}

	}

	/**
	 * The same for requests. What a handler does stands here under its request's key.
	 */
	@RestController
	static class Handlers {

		private final Map<String, Supplier<String>> work = new ConcurrentHashMap<>();

		private final Map<String, Consumer<Runnable>> surroundings = new ConcurrentHashMap<>();

		private final Neighbour neighbour;

		Handlers(Neighbour neighbour) {
			this.neighbour = neighbour;
		}

		void doAt(String key, Supplier<String> work) {
			this.work.put(key, work);
		}

		void surround(String key, Consumer<Runnable> surrounding) {
			this.surroundings.put(key, surrounding);
		}

		void forget(String key) {
			this.work.remove(key);
			this.surroundings.remove(key);
		}

		@PostMapping("/work/{key}")
		@Idempotent(transactional = true)
		String work(@PathVariable String key) {
			return work(key, "handler");
		}

		@PostMapping("/brief-work/{key}")
		@Idempotent(transactional = true, lease = Stage.BRIEF_LEASE)
		String workBriefly(@PathVariable String key) {
			return work(key, "brief handler");
		}

		private String work(String key, String kind) {
			Supplier<String> known = this.work.get(key);
			if (known == null) {
				throw new IllegalStateException("The %s has nothing to do".formatted(kind));
			}
			return known.get();
		}

		/**
		 * The next request on the same thread, which has nothing to do with the last one.
		 */
		@PostMapping("/neighbour/{id}")
		String neighbour(@PathVariable String id) {
			return this.neighbour.report(id);
		}

	}

	/**
	 * A filter that has its own idea of transactions.
	 */
	static class SurroundingFilter extends OncePerRequestFilter {

		private final Handlers handlers;

		SurroundingFilter(Handlers handlers) {
			this.handlers = handlers;
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			String key = request.getHeader("Idempotency-Key");
			Consumer<Runnable> surrounding = (key != null) ? this.handlers.surroundings.remove(key) : null;
			if (surrounding == null) {
				chain.doFilter(request, response);
				return;
			}
			surrounding.accept(() -> {
				try {
					chain.doFilter(request, response);
				}
				catch (IOException | ServletException ex) {
					throw new IllegalStateException(ex);
				}
			});
		}

	}

	/**
	 * Works on the same threads, and is nobody's business.
	 */
	static class Neighbour {

		private final JdbcTemplate jdbc;

		private final Supplier<Neighbour> self;

		Neighbour(JdbcTemplate jdbc, ObjectProvider<Neighbour> self) {
			this.jdbc = jdbc;
			this.self = self::getObject;
		}

		/**
		 * Says what is left of earlier transactions on this thread, and works in one of
		 * its own.
		 */
		String report(String id) {
			String left = "";
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				left += "synchronization is active; ";
			}
			if (TransactionSynchronizationManager.isActualTransactionActive()) {
				left += "a transaction is active; ";
			}
			if (TransactionSynchronizationManager.getResourceMap()
				.keySet()
				.stream()
				.anyMatch(DataSource.class::isInstance)) {
				left += "a connection is bound; ";
			}
			this.self.get().work(id);
			return left;
		}

		@Transactional
		public void work(String id) {
			this.jdbc.update("insert into bystander (cell) values (?)", id);
		}

	}

	/**
	 * Hears of what is published in transactions.
	 */
	static class EventListeners {

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		void on(AtLast event) {
			event.work().run();
		}

	}

	/**
	 * Something to be done before the commit.
	 *
	 * @param work what is to be done
	 */
	record AtLast(Runnable work) {
	}

	/**
	 * Does something at the last moment before the next commit. Spring Boot gives it to
	 * the transaction manager.
	 */
	static class LastMoment implements TransactionExecutionListener {

		private volatile @Nullable Runnable task;

		void prepare(Runnable task) {
			this.task = task;
		}

		void clear() {
			this.task = null;
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			Runnable prepared = this.task;
			this.task = null;
			if (prepared != null) {
				prepared.run();
			}
		}

	}

	/**
	 * Counts renewals of leases.
	 */
	static class Renewals implements StoreTimer {

		private final AtomicInteger count = new AtomicInteger();

		int count() {
			return this.count.get();
		}

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public void asked(StoreVerb verb, long nanos, boolean failed) {
			if (verb == StoreVerb.RENEW && !failed) {
				this.count.incrementAndGet();
			}
		}

	}

}
