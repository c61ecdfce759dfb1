package dev.idempotency.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.KnownOperation.Kind;
import dev.idempotency.core.OperationCatalog;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.store.IdempotencyStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Logs once, when the application is ready, how it is protected and how much of it.
 */
final class StartupReport implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(StartupReport.class);

	private static final List<ChronoUnit> UNITS = List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES,
			ChronoUnit.SECONDS);

	private final ApplicationContext context;

	private final List<StartupFact> facts;

	private final ObjectProvider<OperationCatalog> catalogs;

	StartupReport(ApplicationContext context, List<StartupFact> facts, ObjectProvider<OperationCatalog> catalogs) {
		this.context = context;
		this.facts = facts;
		this.catalogs = catalogs;
	}

	static Stream<StartupFact> factsOf(IdempotencyStore store, EngineSettings settings, OperationPolicy policy) {
		return Stream.of(new StartupFact("store", StoreNames.of(store)),
				new StartupFact("namespace", settings.namespace()), new StartupFact("ttl", text(policy.ttl())),
				new StartupFact("lease", text(policy.lease())), new StartupFact("mode", text(settings.mode())),
				new StartupFact("on-store-failure", text(settings.onStoreFailure())));
	}

	private static String text(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Formats a duration as in the settings: 24h rather than 1d.
	 */
	private static String text(Duration duration) {
		ChronoUnit unit = UNITS.stream()
			.filter((it) -> duration.compareTo(it.getDuration().multipliedBy(2)) >= 0 || it == ChronoUnit.SECONDS)
			.filter((it) -> duration.toNanos() % it.getDuration().toNanos() == 0)
			.findFirst()
			.orElse(ChronoUnit.MILLIS);
		return DurationStyle.SIMPLE.print(duration, unit);
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		// A child of this context is ready too
		if (event.getApplicationContext() != this.context) {
			return;
		}
		logger.info("Idempotency: {}",
				this.facts.stream().map((fact) -> fact.name() + " " + fact.value()).collect(Collectors.joining(", ")));
		if (logger.isInfoEnabled()) {
			report(OperationsReport.of(this.catalogs.orderedStream().toList()));
		}
	}

	private static void report(OperationsReport report) {
		List<String> parts = new ArrayList<>();
		int covered = report.count(Kind.HTTP, Coverage.PROTECTED);
		int excluded = report.count(Kind.HTTP, Coverage.EXCLUDED);
		List<KnownOperation> open = report.find(Kind.HTTP, Coverage.UNPROTECTED);
		int all = covered + excluded + open.size();
		if (all > 0) {
			parts.add("%d of %d unsafe handlers are protected, %d excluded, %d not".formatted(covered, all, excluded,
					open.size()));
		}
		int methods = report.count(Kind.METHOD, Coverage.PROTECTED);
		int excludedMethods = report.count(Kind.METHOD, Coverage.EXCLUDED);
		if (methods + excludedMethods > 0) {
			parts.add("methods of beans: %d protected, %d excluded".formatted(methods, excludedMethods));
		}
		if (!parts.isEmpty()) {
			logger.info("Idempotency: {}", String.join("; ", parts));
		}
		if (!open.isEmpty() && logger.isDebugEnabled()) {
			logger.debug("Not protected: {}",
					open.stream()
						.map((operation) -> "%s (%s)".formatted(operation.name(), operation.handler()))
						.collect(Collectors.joining(", ")));
		}
	}

}
