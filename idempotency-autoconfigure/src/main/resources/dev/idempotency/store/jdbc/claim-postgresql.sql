-- Either takes the key or says what is there, in one statement, and only reads where nothing is to be changed.
-- The moment the statement began decides what is over; a claim that had to wait for its turn still gets its whole lease.
with asked as (
	select cast(? as bytea) as id, cast(? as bytea) as owner, cast(? as bytea) as fingerprint,
		cast(? as boolean) as takes_over, cast(? as text) as on_replay,
		cast(? as bigint) * interval '1 millisecond' as lease, cast(? as bigint) * interval '1 millisecond' as ttl,
		cast(? as text) as trace
),
there as (
	select r.owner, r.attempt, r.state, r.fingerprint, r.created_at, r.lease_until, r.completed_at, r.expires_at,
		r.replays, r.result, r.trace
	from idempotency_record r cross join asked
	where r.id = ?
		and r.expires_at > statement_timestamp()
		and not (r.state = 'IN_PROGRESS' and r.lease_until <= statement_timestamp()
			and r.fingerprint = asked.fingerprint and asked.takes_over)
		and not (r.state = 'COMPLETED' and r.fingerprint = asked.fingerprint and (asked.on_replay = 'COUNT'
			or asked.on_replay = 'EXTEND' and r.expires_at < statement_timestamp() + asked.ttl))
),
taken as (
	insert into idempotency_record as r (id, namespace, operation, principal, tenant, idempotency_key,
		state, attempt, owner, fingerprint, created_at, lease_until, expires_at, replays, trace)
	select asked.id, ?, ?, ?, ?, ?, 'IN_PROGRESS', 1, asked.owner, asked.fingerprint,
		clock_timestamp(), clock_timestamp() + asked.lease, clock_timestamp() + asked.ttl, 0, asked.trace
	from asked where not exists (select 1 from there)
	on conflict (id) do update set
		owner = case
			when r.expires_at <= statement_timestamp() then excluded.owner
			when r.state = 'IN_PROGRESS' and r.lease_until <= statement_timestamp()
				and r.fingerprint = excluded.fingerprint and (select takes_over from asked) then excluded.owner
			else r.owner end,
		attempt = case
			when r.expires_at <= statement_timestamp() then 1
			when r.state = 'IN_PROGRESS' and r.lease_until <= statement_timestamp()
				and r.fingerprint = excluded.fingerprint and (select takes_over from asked) then r.attempt + 1
			else r.attempt end,
		trace = case
			when r.expires_at <= statement_timestamp()
				or r.state = 'IN_PROGRESS' and r.lease_until <= statement_timestamp()
				and r.fingerprint = excluded.fingerprint and (select takes_over from asked) then excluded.trace
			else r.trace end,
		lease_until = case
			when r.expires_at <= statement_timestamp()
				or r.state = 'IN_PROGRESS' and r.lease_until <= statement_timestamp()
				and r.fingerprint = excluded.fingerprint and (select takes_over from asked)
			then clock_timestamp() + (select lease from asked)
			else r.lease_until end,
		expires_at = case
			when r.expires_at <= statement_timestamp()
				or r.state = 'IN_PROGRESS' and r.lease_until <= statement_timestamp()
				and r.fingerprint = excluded.fingerprint and (select takes_over from asked)
			then clock_timestamp() + (select ttl from asked)
			when r.state = 'COMPLETED' and r.fingerprint = excluded.fingerprint
				and (select on_replay from asked) = 'EXTEND'
			then greatest(r.expires_at, clock_timestamp() + (select ttl from asked))
			else r.expires_at end,
		replays = case
			when r.expires_at <= statement_timestamp() then 0
			when r.state = 'COMPLETED' and r.fingerprint = excluded.fingerprint
				and (select on_replay from asked) = 'COUNT' then r.replays + 1
			else r.replays end,
		state = case when r.expires_at <= statement_timestamp() then excluded.state else r.state end,
		fingerprint = case when r.expires_at <= statement_timestamp() then excluded.fingerprint else r.fingerprint end,
		created_at = case when r.expires_at <= statement_timestamp() then clock_timestamp() else r.created_at end,
		completed_at = case when r.expires_at <= statement_timestamp() then null else r.completed_at end,
		result = case when r.expires_at <= statement_timestamp() then null else r.result end
	returning r.owner, r.attempt, r.state, r.fingerprint, r.created_at, r.lease_until, r.completed_at, r.expires_at,
		r.replays, r.result, r.trace
)
select there.*, clock_timestamp() as now from there
union all
select taken.*, clock_timestamp() as now from taken
