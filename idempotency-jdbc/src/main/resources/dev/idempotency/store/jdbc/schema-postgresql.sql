-- The columns that a completion changes stand together, before most others, so that it writes little to the WAL
create table if not exists idempotency_record (
	created_at timestamp with time zone not null,
	expires_at timestamp with time zone not null, -- set by the claim and seldom changed, because it is indexed
	owner bigint not null,                   -- the unique id of a claim
	ends_at timestamp with time zone not null, -- the end of the lease, or the time of completion
	state smallint not null,                 -- 0 in progress, 1 completed, 2 completed in a transaction
	attempt smallint not null,               -- 2 or more: an earlier attempt crashed or stalled
	result bytea,
	id bytea not null primary key,           -- the digest of namespace, operation, principal, tenant and key
	fingerprint bytea not null,
	namespace text not null,                 -- these five are for operators, and cut if too long
	operation text not null,
	principal text,
	tenant text,
	idempotency_key text not null,
	trace text,                              -- of the latest attempt, for operators
	replays integer                          -- null: none counted
);

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);

-- Outcomes of transactions, until they are folded into their records, and owners that can no longer complete
create table if not exists idempotency_record_outcome (
	owner bigint not null primary key,       -- of the record
	id bytea not null,                       -- of the record
	completed_at timestamp with time zone not null,
	expires_at timestamp with time zone not null, -- the record is kept at least until then
	result bytea                             -- null: this owner has lost its key
);
