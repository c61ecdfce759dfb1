-- Takes a key that nobody has, or reads what is there. What nearly all claims come to, and nothing more: the less a
-- statement says, the less it costs, also where it does nothing. Answers nothing if it met another claim of the key.
with there as (
	select attempt, state = 'COMPLETED' as completed, expires_at <= statement_timestamp() as over,
		case when state = 'IN_PROGRESS'
			then cast(extract(epoch from lease_until - statement_timestamp()) * 1000 as bigint) end as lease_left,
		fingerprint, replays, result, trace,
		case when state = 'IN_PROGRESS'
			then cast(extract(epoch from statement_timestamp() - created_at) * 1000 as bigint) end as age
	from idempotency_record where id = ?
),
taken as (
	insert into idempotency_record (id, owner, fingerprint, lease_until, expires_at, trace,
		namespace, operation, principal, tenant, idempotency_key, state, attempt, created_at, replays)
	select ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond', clock_timestamp() + ? * interval '1 millisecond',
		?, ?, ?, ?, ?, ?, 'IN_PROGRESS', 1, clock_timestamp(), 0
	where not exists (select 1 from there)
	on conflict (id) do nothing
	returning attempt
)
select attempt, completed, over, lease_left, fingerprint, replays, result, trace, age from there
union all
select attempt, null, null, null, null, null, null, null, null from taken
