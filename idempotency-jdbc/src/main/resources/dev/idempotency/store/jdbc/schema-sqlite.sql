create table if not exists idempotency_record (
	id blob not null primary key,            -- the digest of namespace, operation, principal, tenant and key
	namespace text not null,                 -- these five are for people, and cut where they are longer
	operation text not null,
	principal text,
	tenant text,
	idempotency_key text not null,
	state text not null,                     -- IN_PROGRESS or COMPLETED
	attempt integer not null,                -- 2 or more: an earlier attempt vanished
	owner blob not null,
	fingerprint blob not null,
	created_at text not null,                -- all times are UTC
	lease_until text not null,
	completed_at text,
	expires_at text not null,
	replays integer not null,
	trace text,                              -- of the latest attempt, for people
	result blob
) without rowid;

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);
create index if not exists idempotency_record_created_at on idempotency_record (created_at);

-- What was completed inside a transaction, until a record takes it over, and who may complete nothing any more
create table if not exists idempotency_record_outcome (
	owner blob not null primary key,         -- of the record
	id blob not null,                        -- of the record
	completed_at text not null,
	expires_at text not null,
	result blob                              -- none: this owner has lost its key
) without rowid;
