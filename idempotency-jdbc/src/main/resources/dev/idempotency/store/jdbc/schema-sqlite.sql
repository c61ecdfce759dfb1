create table if not exists idempotency_record (
	created_at text not null,                -- all times are UTC
	expires_at text not null,                -- set by the claim and seldom changed, because it is indexed
	owner integer not null,                  -- the unique id of a claim
	ends_at text not null,                   -- the end of the lease, or the time of completion
	state integer not null,                  -- 0 in progress, 1 completed, 2 completed in a transaction
	attempt integer not null,                -- 2 or more: an earlier attempt crashed or stalled
	result blob,
	id blob not null primary key,            -- the digest of namespace, operation, principal, tenant and key
	fingerprint blob not null,
	namespace text not null,                 -- these five are for operators, and cut if too long
	operation text not null,
	principal text,
	tenant text,
	idempotency_key text not null,
	trace text,                              -- of the latest attempt, for operators
	replays integer                          -- null: none counted
) without rowid;

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);

-- Outcomes of transactions, until they are folded into their records, and owners that can no longer complete
create table if not exists idempotency_record_outcome (
	owner integer not null primary key,      -- of the record
	id blob not null,                        -- of the record
	completed_at text not null,
	expires_at text not null,                -- the record is kept at least until then
	result blob                              -- null: this owner has lost its key
) without rowid;
