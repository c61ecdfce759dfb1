-- Claims a free key, counts a replay, extends the ttl of a result, or returns the record, in one statement. Only reads if
-- nothing changes. The start of the statement decides what has expired.
with asked as (
	select cast(? as bytea) as id, cast(? as bigint) as owner, cast(? as bytea) as fingerprint,
		cast(? as text) as on_replay,
		cast(? as bigint) * interval '1 millisecond' as lease, cast(? as bigint) * interval '1 millisecond' as ttl,
		cast(? as text) as trace
),
there as (
	select r.owner, r.attempt, r.state, r.fingerprint, r.created_at, r.ends_at, r.expires_at, r.replays, r.result, r.trace
	from idempotency_record r cross join asked
	where r.id = ?
		and not (r.state > 0 and r.expires_at > statement_timestamp() and r.fingerprint = asked.fingerprint
			and (asked.on_replay = 'COUNT'
				or asked.on_replay = 'EXTEND' and r.expires_at < statement_timestamp() + asked.ttl))
),
taken as (
	insert into idempotency_record as r (id, namespace, operation, principal, tenant, idempotency_key,
		state, attempt, owner, fingerprint, created_at, ends_at, expires_at, trace)
	select asked.id, ?, ?, ?, ?, ?, 0, 1, asked.owner, asked.fingerprint,
		clock_timestamp(), clock_timestamp() + asked.lease, clock_timestamp() + asked.ttl, asked.trace
	from asked where not exists (select 1 from there)
	on conflict (id) do update set
		expires_at = case
			when r.state > 0 and r.expires_at > statement_timestamp()
				and r.fingerprint = excluded.fingerprint and (select on_replay from asked) = 'EXTEND'
			then greatest(r.expires_at, clock_timestamp() + (select ttl from asked))
			else r.expires_at end,
		replays = case
			when r.state > 0 and r.expires_at > statement_timestamp()
				and r.fingerprint = excluded.fingerprint and (select on_replay from asked) = 'COUNT'
			then coalesce(r.replays, 0) + 1
			else r.replays end
	returning r.owner, r.attempt, r.state, r.fingerprint, r.created_at, r.ends_at, r.expires_at, r.replays, r.result, r.trace
)
select there.*, clock_timestamp() as now from there
union all
select taken.*, clock_timestamp() as now from taken
