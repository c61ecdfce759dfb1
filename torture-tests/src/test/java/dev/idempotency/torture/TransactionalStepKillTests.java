package dev.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows are those of transactional steps, and records those of the steps. The record of a
 * step does not name the key of its operation, but there are as many of one kind as of
 * the other, and an answer has the results of the records.
 */
class TransactionalStepKillTests extends CommitKillContract {

	@Override
	String path() {
		return "/pay-in-steps";
	}

	@Override
	String complaints() {
		return "select step, rows, records from "
				+ "(select step, count(*) as rows, count(distinct idempotency_key) as keys from payment group by step) p "
				+ "full outer join (select right(operation, 1)::int as step, count(*) as records "
				+ "from idempotency_record where operation like '% > step-_' and " + COMPLETED
				+ " group by operation) r using (step) "
				+ "where rows is distinct from records or rows is distinct from keys";
	}

	@Override
	String rowsOf(String answer) {
		assertThat(answer.split(",", -1)).hasSize(TortureApplication.STEPS);
		return answer.replaceAll("[\\[\\]\"]", "");
	}

}
