-- Claims a free key.
insert into idempotency_record (id, owner, fingerprint, ends_at, expires_at, trace,
	namespace, operation, principal, tenant, idempotency_key, state, attempt, created_at)
values (?, ?, ?, clock_timestamp() + ? * interval '1 millisecond', clock_timestamp() + ? * interval '1 millisecond',
	?, ?, ?, ?, ?, ?, 0, 1, clock_timestamp())
on conflict do nothing
