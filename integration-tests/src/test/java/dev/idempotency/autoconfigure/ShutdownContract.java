package dev.idempotency.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.servers.JmsBroker;
import jakarta.annotation.PreDestroy;
import jakarta.jms.ConnectionFactory;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that are shut down while they work, each with its own kind of threads. The
 * work takes several leases, and another instance asks for the same all the time.
 */
@Tag("once")
abstract class ShutdownContract {

	private static final Duration LEASE = Duration.ofSeconds(1);

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	private final String queue = JmsBroker.shared().newQueue();

	ShutdownContract() {
	}

	/**
	 * The settings of the store.
	 */
	abstract List<String> store();

	@AfterEach
	void endEverything() {
		EnumSet.allOf(Kind.class).forEach((kind) -> Work.end(kind).countDown());
		this.contexts.forEach(ConfigurableApplicationContext::close);
	}

	/**
	 * Spring waits for what is in progress.
	 */
	@Test
	void nobodyElseRunsWhatIsInProgress() {
		assertThat(runsWhenShutDown(EnumSet.allOf(Kind.class), "30s")).isEqualTo(once(EnumSet.allOf(Kind.class)));
	}

	/**
	 * Shuts down an application of each kind while it works.
	 * @param phase for how long Spring waits in each phase
	 * @return how often each kind of work has run
	 */
	final Map<Kind, Integer> runsWhenShutDown(Set<Kind> kinds, String phase) {
		List<String> store = store();
		Work.reset();
		List<CompletableFuture<Void>> closing = new ArrayList<>();
		ConfigurableApplicationContext next = start(Next.class, store, "30s");
		for (Kind kind : kinds) {
			ConfigurableApplicationContext old = start(kind.application, store, phase);
			old.getBean(Starter.class).begin();
			Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> Work.runs(kind).get() == 1);
			closing.add(CompletableFuture.runAsync(old::close, (task) -> new Thread(task).start()));
		}
		Work work = next.getBean(Work.class);
		Awaitility.await()
			.during(LEASE.multipliedBy(3))
			.atMost(LEASE.multipliedBy(20))
			.pollInterval(Duration.ofMillis(100))
			.until(() -> {
				kinds.forEach((kind) -> ask(work, kind));
				return true;
			});
		kinds.forEach((kind) -> Work.end(kind).countDown());
		closing.forEach(CompletableFuture::join);
		kinds.forEach((
				kind) -> Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> ask(work, kind).equals("done")));
		Map<Kind, Integer> runs = new TreeMap<>();
		kinds.forEach((kind) -> runs.put(kind, Work.runs(kind).get()));
		return runs;
	}

	static Map<Kind, Integer> once(Set<Kind> kinds) {
		Map<Kind, Integer> runs = new TreeMap<>();
		kinds.forEach((kind) -> runs.put(kind, 1));
		return runs;
	}

	/**
	 * A second run is counted and does not wait for anything.
	 */
	private static String ask(Work work, Kind kind) {
		try {
			return work.run(kind);
		}
		catch (OperationInProgressException ex) {
			return "in progress";
		}
	}

	private ConfigurableApplicationContext start(Class<?> application, List<String> store, String phase) {
		List<String> settings = new ArrayList<>(store);
		settings.addAll(List.of("--spring.application.name=shop", "--idempotency.lease=" + LEASE.toMillis() + "ms",
				"--spring.lifecycle.timeout-per-shutdown-phase=" + phase,
				"--spring.task.execution.shutdown.await-termination=true",
				"--spring.task.execution.shutdown.await-termination-period=60s",
				"--spring.task.scheduling.shutdown.await-termination=true",
				"--spring.task.scheduling.shutdown.await-termination-period=60s", "--spring.main.banner-mode=off",
				"--queue=" + this.queue));
		ConfigurableApplicationContext context = new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.run(settings.toArray(String[]::new));
		this.contexts.add(context);
		return context;
	}

	/**
	 * Who does the work.
	 */
	enum Kind {

		TASK_EXECUTOR(OnTaskExecutor.class), ASYNC(OnAsync.class), SCHEDULED(OnScheduler.class),
		EXECUTOR_SERVICE(OnExecutorService.class), SIMPLE_EXECUTOR(OnSimpleExecutor.class),
		OWN_THREADS(OnOwnThreads.class), JMS(OnJms.class);

		private final Class<?> application;

		Kind(Class<?> application) {
			this.application = application;
		}

	}

	/**
	 * What takes long.
	 */
	static class Work {

		private static final Map<Kind, AtomicInteger> RUNS = new ConcurrentHashMap<>();

		private static final Map<Kind, CountDownLatch> END = new ConcurrentHashMap<>();

		static void reset() {
			RUNS.clear();
			END.clear();
		}

		static AtomicInteger runs(Kind kind) {
			return RUNS.computeIfAbsent(kind, (it) -> new AtomicInteger());
		}

		static CountDownLatch end(Kind kind) {
			return END.computeIfAbsent(kind, (it) -> new CountDownLatch(1));
		}

		@Idempotent(key = "#kind.name()")
		String run(Kind kind) {
			if (runs(kind).incrementAndGet() == 1) {
				awaitEnd(kind);
			}
			return "done";
		}

		private static void awaitEnd(Kind kind) {
			while (true) {
				try {
					end(kind).await();
					return;
				}
				catch (InterruptedException ex) {
					// Works on, as many do
				}
			}
		}

	}

	/**
	 * Lets it begin.
	 */
	interface Starter {

		void begin();

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, JacksonAutoConfiguration.class,
			LifecycleAutoConfiguration.class, DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
			TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class,
			IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class,
			IdempotencyRedisAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
			IdempotencyMethodAutoConfiguration.class })
	@Import(Work.class)
	static class Next {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Next.class)
	static class OnTaskExecutor {

		@Bean
		Starter starter(@Qualifier("applicationTaskExecutor") Executor executor, Work work) {
			return () -> executor.execute(() -> work.run(Kind.TASK_EXECUTOR));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Next.class, AsyncStarter.class })
	@EnableAsync
	static class OnAsync {

	}

	static class AsyncStarter implements Starter {

		@Autowired
		private Work work;

		@Async
		@Override
		public void begin() {
			this.work.run(Kind.ASYNC);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Next.class, ScheduledStarter.class })
	@EnableScheduling
	static class OnScheduler {

	}

	static class ScheduledStarter implements Starter {

		@Autowired
		private Work work;

		private volatile boolean asked;

		@Override
		public void begin() {
			this.asked = true;
		}

		@Scheduled(fixedDelay = 10)
		void run() {
			if (this.asked) {
				this.asked = false;
				this.work.run(Kind.SCHEDULED);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Next.class)
	static class OnExecutorService {

		/**
		 * Waits for its tasks when it is closed, as the executors of Java 19 do.
		 */
		@Bean
		ClosedPool pool() {
			return new ClosedPool(Executors.newSingleThreadExecutor());
		}

		@Bean
		Starter starter(ClosedPool pool, Work work) {
			return () -> pool.execute(() -> work.run(Kind.EXECUTOR_SERVICE));
		}

	}

	record ClosedPool(ExecutorService threads) implements Executor {

		@Override
		public void execute(Runnable task) {
			this.threads.execute(task);
		}

		public void close() throws InterruptedException {
			this.threads.shutdown();
			this.threads.awaitTermination(1, TimeUnit.MINUTES);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Next.class)
	static class OnSimpleExecutor {

		/**
		 * What Spring Boot uses for virtual threads.
		 */
		@Bean
		SimpleAsyncTaskExecutor simpleExecutor() {
			SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("simple-");
			executor.setTaskTerminationTimeout(60_000);
			return executor;
		}

		@Bean
		Starter starter(SimpleAsyncTaskExecutor simpleExecutor, Work work) {
			return () -> simpleExecutor.execute(() -> work.run(Kind.SIMPLE_EXECUTOR));
		}

	}

	/**
	 * Has threads that nobody knows of, and waits for them. It is created first, and so
	 * would be destroyed last.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ OwnThreads.class, Next.class })
	static class OnOwnThreads {

	}

	static class OwnThreads implements Starter {

		private final ExecutorService threads = Executors.newSingleThreadExecutor();

		private final ObjectProvider<Work> work;

		OwnThreads(ObjectProvider<Work> work) {
			this.work = work;
		}

		@Override
		public void begin() {
			this.threads.execute(() -> this.work.getObject().run(Kind.OWN_THREADS));
		}

		/**
		 * Never called here. A bean with protected methods is known to have work.
		 */
		@Idempotent(key = "#text")
		public String other(String text) {
			return text;
		}

		@PreDestroy
		void close() throws InterruptedException {
			this.threads.shutdown();
			this.threads.awaitTermination(1, TimeUnit.MINUTES);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Next.class, Listener.class })
	@ImportAutoConfiguration(JmsAutoConfiguration.class)
	static class OnJms {

		@Bean
		ConnectionFactory connectionFactory() {
			return new ActiveMQConnectionFactory(JmsBroker.shared().url());
		}

		@Bean
		Starter starter(JmsTemplate template, @Value("${queue}") String queue) {
			return () -> template.convertAndSend(queue, "begin");
		}

	}

	static class Listener {

		@Autowired
		private Work work;

		@JmsListener(destination = "${queue}")
		void on(String text) {
			this.work.run(Kind.JMS);
		}

	}

}
