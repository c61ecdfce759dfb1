package dev.idempotency.sample.documents;

import java.math.BigDecimal;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import dev.idempotency.Idempotent;
import dev.idempotency.sample.ledger.Ledger;
import dev.idempotency.sample.ledger.LedgerLine;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An asynchronous handler: its request holds no thread while the report is prepared, and
 * is still protected.
 */
@RestController
class ReportController {

	private static final int LINES = 1000;

	private final Ledger ledger;

	private final Executor later;

	ReportController(Ledger ledger, @Value("${sample.report-time}") Duration time) {
		this.ledger = ledger;
		this.later = CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Idempotent
	@PostMapping("/reports")
	CompletableFuture<Report> report(Principal customer) {
		String account = customer.getName();
		return CompletableFuture.supplyAsync(() -> make(account), this.later);
	}

	private Report make(String account) {
		List<LedgerLine> lines = this.ledger.latest(LINES)
			.stream()
			.filter((line) -> line.account().equals(account))
			.toList();
		BigDecimal sum = lines.stream()
			.map(LedgerLine::amount)
			.filter(Objects::nonNull)
			.reduce(BigDecimal.ZERO, BigDecimal::add);
		this.ledger.write(account, "report over " + lines.size() + " lines", null);
		return new Report(lines.size(), sum);
	}

	/**
	 * A report.
	 *
	 * @param lines the number of lines
	 * @param sum their sum
	 */
	record Report(int lines, BigDecimal sum) {
	}

}
