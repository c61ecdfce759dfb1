create table if not exists idempotency_record (
	created_at timestamp(6) with time zone not null,
	expires_at timestamp(6) with time zone not null, -- fixed by the claim, and seldom changed: it is indexed
	owner bigint not null,                   -- tells a claim from all others
	ends_at timestamp(6) with time zone not null, -- in progress: the lease; completed: when that was
	state smallint not null,                 -- 0 in progress, 1 completed, 2 completed in a transaction
	attempt smallint not null,               -- 2 or more: an earlier attempt vanished
	result varbinary(70000000),
	id varbinary(32) not null primary key,   -- the digest of namespace, operation, principal, tenant and key
	fingerprint varbinary(32) not null,
	namespace varchar(255) not null,         -- these five are for people, and cut where they are longer
	operation varchar(255) not null,
	principal varchar(255),
	tenant varchar(255),
	idempotency_key varchar(255) not null,
	trace varchar(64),                       -- of the latest attempt, for people
	replays integer                          -- none: nobody counts them
);

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);

-- What was completed inside a transaction, until a record takes it over, and who may complete nothing any more
create table if not exists idempotency_record_outcome (
	owner bigint not null primary key,       -- of the record
	id varbinary(32) not null,               -- of the record
	completed_at timestamp(6) with time zone not null,
	expires_at timestamp(6) with time zone not null, -- the record lives until then at least
	result varbinary(70000000)               -- none: this owner has lost its key
);
