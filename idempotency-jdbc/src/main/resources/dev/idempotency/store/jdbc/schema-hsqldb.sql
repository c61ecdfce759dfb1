create table if not exists idempotency_record (
	created_at timestamp(6) with time zone not null,
	expires_at timestamp(6) with time zone not null, -- set by the claim and seldom changed, because it is indexed
	owner bigint not null,                   -- the unique id of a claim
	ends_at timestamp(6) with time zone not null, -- the end of the lease, or the time of completion
	state smallint not null,                 -- 0 in progress, 1 completed, 2 completed in a transaction
	attempt smallint not null,               -- 2 or more: an earlier attempt crashed or stalled
	result varbinary(70000000),
	id varbinary(32) not null primary key,   -- the digest of namespace, operation, principal, tenant and key
	fingerprint varbinary(32) not null,
	namespace varchar(255) not null,         -- these five are for operators, and cut if too long
	operation varchar(255) not null,
	principal varchar(255),
	tenant varchar(255),
	idempotency_key varchar(255) not null,
	trace varchar(64),                       -- of the latest attempt, for operators
	replays integer                          -- null: none counted
);

create index if not exists idempotency_record_expires_at on idempotency_record (expires_at);

-- Outcomes of transactions, until they are folded into their records, and owners that can no longer complete
create table if not exists idempotency_record_outcome (
	owner bigint not null primary key,       -- of the record
	id varbinary(32) not null,               -- of the record
	completed_at timestamp(6) with time zone not null,
	expires_at timestamp(6) with time zone not null, -- the record is kept at least until then
	result varbinary(70000000)               -- null: this owner has lost its key
);
