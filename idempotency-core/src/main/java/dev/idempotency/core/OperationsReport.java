package dev.idempotency.core;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.KnownOperation.Kind;
import dev.idempotency.core.KnownOperation.Protection;

/**
 * The operations of an application and their protection.
 *
 * @param operations the operations, sorted by their names
 */
public record OperationsReport(List<KnownOperation> operations) {

	public OperationsReport {
		operations = operations.stream()
			.sorted(Comparator.comparing(KnownOperation::kind)
				.thenComparing(KnownOperation::name)
				.thenComparing(KnownOperation::handler))
			.toList();
	}

	/**
	 * A report of all known operations.
	 * @param catalogs the catalogs of operations
	 */
	public static OperationsReport of(Collection<? extends OperationCatalog> catalogs) {
		return new OperationsReport(catalogs.stream().flatMap((catalog) -> catalog.operations().stream()).toList());
	}

	/**
	 * The operations of one kind and coverage.
	 * @param kind how they are called
	 * @param coverage whether they are protected
	 */
	public List<KnownOperation> find(Kind kind, Coverage coverage) {
		return this.operations.stream()
			.filter((operation) -> operation.kind() == kind && operation.coverage() == coverage)
			.toList();
	}

	/**
	 * How the handlers of an operation are protected.
	 * @return empty if none is known and protected
	 */
	public List<Protection> protectionsOf(String name) {
		return this.operations.stream()
			.filter((operation) -> operation.name().equals(name))
			.map(KnownOperation::protection)
			.filter(Objects::nonNull)
			.toList();
	}

	/**
	 * The number of operations of one kind and coverage.
	 * @param kind how they are called
	 * @param coverage whether they are protected
	 * @return how many
	 */
	public int count(Kind kind, Coverage coverage) {
		return find(kind, coverage).size();
	}

	/**
	 * The share of handlers that are protected, of those that should be. Methods do not
	 * count, since nothing tells which of them should be.
	 * @return between 0 and 1; 1 if there is nothing to protect
	 */
	public double score() {
		int covered = count(Kind.HTTP, Coverage.PROTECTED);
		int open = count(Kind.HTTP, Coverage.UNPROTECTED);
		return (covered + open == 0) ? 1 : (double) covered / (covered + open);
	}

}
