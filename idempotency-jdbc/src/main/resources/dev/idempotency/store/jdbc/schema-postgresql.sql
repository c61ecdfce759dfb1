create table if not exists idempotency_record (
	id bytea not null primary key,           -- the digest of namespace, operation, principal, tenant and key
	namespace varchar(255) not null,         -- these five are for people, and cut where they are longer
	operation varchar(255) not null,
	principal varchar(255),
	tenant varchar(255),
	idempotency_key varchar(255) not null,
	state varchar(11) not null,              -- IN_PROGRESS or COMPLETED
	attempt integer not null,                -- 2 or more: an earlier attempt vanished
	owner bytea not null,
	fingerprint bytea not null,
	created_at timestamp with time zone not null,
	lease_until timestamp with time zone not null,
	completed_at timestamp with time zone,
	expires_at timestamp with time zone not null,
	replays bigint not null,
	trace varchar(64),                       -- of the latest attempt, for people
	result bytea
);

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);
create index if not exists idempotency_record_created_at on idempotency_record (created_at);

-- What was completed inside a transaction, until a record takes it over, and who may complete nothing any more
create table if not exists idempotency_record_outcome (
	owner bytea not null primary key,        -- of the record
	id bytea not null,                       -- of the record
	completed_at timestamp with time zone not null,
	expires_at timestamp with time zone not null,
	result bytea                             -- none: this owner has lost its key
);
