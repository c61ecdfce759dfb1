package dev.idempotency.autoconfigure;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationCatalog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Warns of settings of operations that have no effect. It does not stop the application:
 * a test of one controller, or an instance without some operations, may have the settings
 * of all.
 */
final class NamedOperationsCheck implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(NamedOperationsCheck.class);

	private static final int MOST_NAMES = 20;

	private final ApplicationContext context;

	private final NamedOperations named;

	private final ObjectProvider<OperationCatalog> catalogs;

	private final ObjectProvider<KnownNames> others;

	NamedOperationsCheck(ApplicationContext context, NamedOperations named, ObjectProvider<OperationCatalog> catalogs,
			ObjectProvider<KnownNames> others) {
		this.context = context;
		this.named = named;
		this.catalogs = catalogs;
		this.others = others;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (event.getApplicationContext() == this.context && !this.named.settings().isEmpty()) {
			Set<String> effective = new TreeSet<>();
			Set<String> open = new TreeSet<>();
			this.catalogs.stream()
				.flatMap((catalog) -> catalog.operations().stream())
				.forEach((it) -> (isProtected(it) ? effective : open).add(it.name()));
			this.others.forEach((known) -> effective.addAll(known.names()));
			new TreeSet<>(this.named.settings().keySet()).stream()
				.filter((name) -> !effective.contains(name))
				.forEach((name) -> report(name, open.contains(name), effective));
		}
	}

	private static boolean isProtected(KnownOperation operation) {
		return operation.coverage() == Coverage.PROTECTED;
	}

	private static void report(String name, boolean open, Collection<String> effective) {
		if (open) {
			logger.warn("idempotency.operations.[{}] does nothing: that operation is not protected", name);
		}
		else if (NamedOperations.isHttp(name) || name.endsWith(")") || isMeantFor(name, effective)) {
			logger.warn(
					"idempotency.operations.[{}] does nothing: this application has no operation of that name, but {}. "
							+ "In YAML a name has brackets and quotes: \"[POST /payments]\"",
					name, text(effective));
		}
		else {
			logger.info("idempotency.operations.[{}] waits for an operation of that name: programmatic calls and tools "
					+ "are known only when they first run", name);
		}
	}

	/**
	 * Without brackets, a name loses all characters other than letters and digits.
	 */
	private static boolean isMeantFor(String name, Collection<String> effective) {
		return effective.stream().anyMatch((known) -> bare(known).equals(bare(name)));
	}

	private static String bare(String name) {
		return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
	}

	private static String text(Collection<String> names) {
		String some = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
		return names.isEmpty() ? "none" : (names.size() > MOST_NAMES) ? some + ", …" : some;
	}

}
