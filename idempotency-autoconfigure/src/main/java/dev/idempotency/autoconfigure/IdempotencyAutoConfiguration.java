package dev.idempotency.autoconfigure;

import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.Idempotency;
import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.CallThreads;
import dev.idempotency.call.Calls;
import dev.idempotency.call.GivenValues;
import dev.idempotency.call.IdempotencyTemplate;
import dev.idempotency.call.ResultCodec;
import dev.idempotency.core.AttemptObserver;
import dev.idempotency.core.EngineHooks;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationCatalog;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.core.StoreTimer;
import dev.idempotency.core.TraceSource;
import dev.idempotency.core.Transactions;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.EvictionListener;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of the engine, of the store in memory, and of the choice between
 * stores.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyAutoConfiguration {

	@Bean(DestructionOrder.STORE)
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	IdempotencyStore idempotencyStore(IdempotencyProperties properties, ObjectProvider<StoreCandidate> candidates,
			ObjectProvider<TestSlice> slice) {
		return new StoreChoice(candidates.stream().toList(), slice.getIfAvailable()).choose(properties.store());
	}

	@Bean
	StoreCandidate idempotencyMemoryStoreCandidate(IdempotencyProperties properties,
			ObjectProvider<EvictionListener> evictionListeners,
			@Qualifier("idempotencyClock") ObjectProvider<Clock> clock) {
		// At the first eviction, since a listener may need the store, and only then,
		// since a full store evicts with each request
		SingletonSupplier<List<EvictionListener>> listeners = SingletonSupplier
			.of(() -> evictionListeners.orderedStream().toList());
		return new StoreCandidate(StoreType.MEMORY,
				() -> new InMemoryIdempotencyStore(properties.memory().limits(),
						clock.getIfAvailable(MonotonicClock::new),
						(key) -> listeners.obtain().forEach((listener) -> listener.evicted(key))));
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyEngine idempotencyEngine(IdempotencyStore store, IdempotencyProperties properties,
			Environment environment, EngineHooks hooks, ObjectProvider<LifecycleProperties> lifecycle,
			ObjectProvider<ServerThreads> serverThreads) {
		EngineSettings settings = new EngineSettings(Namespace.of(properties, environment, store), properties.mode(),
				properties.onStoreFailure(), properties.packing(store),
				lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase(),
				maxWaiting(properties, serverThreads.getIfAvailable()));
		return new IdempotencyEngine(store, settings, new MonotonicClock(), hooks);
	}

	private static int maxWaiting(IdempotencyProperties properties, @Nullable ServerThreads server) {
		if (properties.maxWaiting() != null) {
			return properties.maxWaiting();
		}
		return (server != null) ? Math.max(1, server.max() / 2) : Integer.MAX_VALUE;
	}

	@Bean
	EngineHooks idempotencyEngineHooks(ObjectProvider<IdempotencyListener> listeners,
			ObjectProvider<AttemptObserver> observer, ObjectProvider<TraceSource> traces,
			ObjectProvider<StoreTimer> timer) {
		return new EngineHooks(listeners.orderedStream().toList(), observer.getIfAvailable(), traces.getIfAvailable(),
				timer.getIfAvailable());
	}

	@Bean
	StartupReport idempotencyStartupReport(ApplicationContext context, IdempotencyStore store, IdempotencyEngine engine,
			OperationPolicy policy, ObjectProvider<StartupFact> facts, ObjectProvider<OperationCatalog> catalogs) {
		return new StartupReport(context,
				Stream.concat(StartupReport.factsOf(store, engine.settings(), policy), facts.orderedStream()).toList(),
				catalogs);
	}

	@Bean
	NamedOperationsCheck idempotencyNamedOperationsCheck(ApplicationContext context, NamedOperations named,
			ObjectProvider<OperationCatalog> catalogs, ObjectProvider<KnownNames> others) {
		return new NamedOperationsCheck(context, named, catalogs, others);
	}

	@Bean
	PurgeLifecycle idempotencyPurgeLifecycle(IdempotencyStore store, IdempotencyProperties properties) {
		return new PurgeLifecycle(store, properties.purge().settings());
	}

	@Bean
	ExecutionsLifecycle idempotencyExecutionsLifecycle(IdempotencyEngine engine, IdempotencyStore store) {
		return new ExecutionsLifecycle(engine, store, engine.settings().afterClose());
	}

	@Bean
	static DestructionOrder idempotencyDestructionOrder(ConfigurableListableBeanFactory beanFactory) {
		return new DestructionOrder(beanFactory);
	}

	@Bean
	@ConditionalOnMissingBean
	OperationPolicy idempotencyOperationPolicy(IdempotencyProperties properties) {
		return properties.defaultPolicy();
	}

	@Bean
	NamedOperations idempotencyNamedOperations(IdempotencyProperties properties, Environment environment) {
		OperationProperties.requireKnown(properties.operations().keySet(), environment);
		return OperationProperties.named(properties.operations());
	}

	@Bean
	AnnotationPolicies idempotencyAnnotationPolicies(OperationPolicy defaults, IdempotencyProperties properties,
			NamedOperations named, Environment environment) {
		return new AnnotationPolicies(defaults, properties.waitTimeout(), environment::resolveRequiredPlaceholders,
				named);
	}

	@Bean
	@ConditionalOnMissingBean
	ResultCodec idempotencyResultCodec(ObjectProvider<JsonMapper> mapper) {
		return new ResultCodec(mapper.getIfUnique(JsonMapper::shared));
	}

	@Bean
	@Order(Ordered.LOWEST_PRECEDENCE)
	ResultWriter idempotencyValueWriter(ResultCodec codec) {
		return GivenValues.ofAnyType(codec);
	}

	@Bean
	Calls idempotencyCalls(IdempotencyEngine engine, ResultCodec codec, ObjectProvider<CallThreads> threads,
			ObjectProvider<Transactions> transactions) {
		return new Calls(engine, codec, new MonotonicClock(), threads.getIfAvailable(), transactions::getIfAvailable);
	}

	@Bean
	@ConditionalOnMissingBean
	Idempotency idempotency(Calls calls, OperationPolicy policy, IdempotencyProperties properties,
			NamedOperations named) {
		return new IdempotencyTemplate(calls, policy, properties.waitTimeout(), named);
	}

}
