-- What a completion changes stands together, before all that it leaves as it is, so that little is logged of it
create table if not exists idempotency_record (
	created_at timestamp with time zone not null,
	expires_at timestamp with time zone not null, -- fixed by the claim, and seldom changed: it is indexed
	owner bigint not null,                   -- tells a claim from all others
	ends_at timestamp with time zone not null, -- in progress: the lease; completed: when that was
	state smallint not null,                 -- 0 in progress, 1 completed, 2 completed in a transaction
	attempt smallint not null,               -- 2 or more: an earlier attempt vanished
	result bytea,
	id bytea not null primary key,           -- the digest of namespace, operation, principal, tenant and key
	fingerprint bytea not null,
	namespace text not null,                 -- these five are for people, and cut where they are longer
	operation text not null,
	principal text,
	tenant text,
	idempotency_key text not null,
	trace text,                              -- of the latest attempt, for people
	replays integer                          -- none: nobody counts them
);

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);

-- What was completed inside a transaction, until a record takes it over, and who may complete nothing any more
create table if not exists idempotency_record_outcome (
	owner bigint not null primary key,       -- of the record
	id bytea not null,                       -- of the record
	completed_at timestamp with time zone not null,
	expires_at timestamp with time zone not null, -- the record lives until then at least
	result bytea                             -- none: this owner has lost its key
);
