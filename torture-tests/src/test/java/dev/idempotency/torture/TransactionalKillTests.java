package dev.idempotency.torture;

/**
 * A row is that of a handler that is {@code transactional}, and its record that of the
 * handler's key.
 */
class TransactionalKillTests extends CommitKillContract {

	@Override
	String path() {
		return "/pay";
	}

	@Override
	String complaints() {
		return "select coalesce(p.idempotency_key, r.idempotency_key) as key, p.times, r.owner "
				+ "from (select idempotency_key, count(*) as times from payment group by idempotency_key) p "
				+ "full outer join (select * from idempotency_record where " + COMPLETED + ") r "
				+ "on p.idempotency_key = r.idempotency_key "
				+ "where p.times is null or p.times > 1 or r.owner is null";
	}

	@Override
	String rowsOf(String answer) {
		return "work";
	}

}
