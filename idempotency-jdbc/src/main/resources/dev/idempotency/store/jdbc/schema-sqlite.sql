create table if not exists idempotency_record (
	created_at text not null,                -- all times are UTC
	expires_at text not null,                -- fixed by the claim, and seldom changed: it is indexed
	owner integer not null,                  -- tells a claim from all others
	ends_at text not null,                   -- in progress: the lease; completed: when that was
	state integer not null,                  -- 0 in progress, 1 completed, 2 completed in a transaction
	attempt integer not null,                -- 2 or more: an earlier attempt vanished
	result blob,
	id blob not null primary key,            -- the digest of namespace, operation, principal, tenant and key
	fingerprint blob not null,
	namespace text not null,                 -- these five are for people, and cut where they are longer
	operation text not null,
	principal text,
	tenant text,
	idempotency_key text not null,
	trace text,                              -- of the latest attempt, for people
	replays integer                          -- none: nobody counts them
) without rowid;

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);

-- What was completed inside a transaction, until a record takes it over, and who may complete nothing any more
create table if not exists idempotency_record_outcome (
	owner integer not null primary key,      -- of the record
	id blob not null,                        -- of the record
	completed_at text not null,
	expires_at text not null,                -- the record lives until then at least
	result blob                              -- none: this owner has lost its key
) without rowid;
