package dev.idempotency.autoconfigure;

import dev.idempotency.actuate.IdempotencyConsoleEndpoint;
import dev.idempotency.actuate.IdempotencyEndpoint;
import dev.idempotency.actuate.IdempotencyInfoContributor;
import dev.idempotency.actuate.RecentAttempts;
import dev.idempotency.actuate.RecordActions;
import dev.idempotency.actuate.SetupView;
import dev.idempotency.actuate.Visibility;
import dev.idempotency.core.AnswerReader;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationCatalog;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the endpoint, the console and a contributor to the info endpoint.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({ WebEndpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(IdempotencyEngine.class)
@EnableConfigurationProperties(IdempotencyEndpointProperties.class)
public final class IdempotencyActuatorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(IdempotencyEndpoint.class)
	RecentAttempts idempotencyRecentAttempts() {
		return new RecentAttempts(new MonotonicClock());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint
	IdempotencyEndpoint idempotencyEndpoint(IdempotencyStore store, IdempotencyEngine engine, OperationPolicy policy,
			RecordActions actions, RecentAttempts recent, ObjectProvider<OperationCatalog> catalogs,
			EndpointAccessResolver accesses) {
		Access access = accesses.accessFor(IdempotencyEndpoint.ID, Access.READ_ONLY);
		return new IdempotencyEndpoint(SetupView.of(StoreNames.of(store), engine.settings(), policy, access), actions,
				recent, () -> OperationsReport.of(catalogs.orderedStream().toList()));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(IdempotencyEndpoint.class)
	RecordActions idempotencyRecordActions(IdempotencyEngine engine, OperationPolicy policy,
			ObjectProvider<OperationCatalog> catalogs, ObjectProvider<AnswerReader> readers,
			ObjectProvider<ResultWriter> writers, IdempotencyEndpointProperties properties) {
		return new RecordActions(engine.records(),
				new Visibility(properties.showValues(), properties.roles(), readers.orderedStream().toList()),
				writers.orderedStream().toList(), () -> OperationsReport.of(catalogs.orderedStream().toList()), policy);
	}

	@Bean
	@ConditionalOnAvailableEndpoint(IdempotencyEndpoint.class)
	static OperationInvokerAdvisor idempotencyEndpointRequestChecks() {
		return IdempotencyEndpoint.requestChecks();
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint
	IdempotencyConsoleEndpoint idempotencyConsoleEndpoint(ObjectProvider<PathMappedEndpoints> paths) {
		return new IdempotencyConsoleEndpoint(paths::getObject);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnEnabledInfoContributor("idempotency")
	IdempotencyInfoContributor idempotencyInfoContributor(OperationPolicy policy) {
		return new IdempotencyInfoContributor(policy);
	}

}
