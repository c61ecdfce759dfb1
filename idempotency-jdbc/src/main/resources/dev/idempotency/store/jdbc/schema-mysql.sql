create table if not exists idempotency_record (
	created_at datetime(3) not null,         -- all times are UTC
	expires_at datetime(3) not null,         -- fixed by the claim, and seldom changed: it is indexed
	owner bigint not null,                   -- tells a claim from all others
	ends_at datetime(3) not null,            -- in progress: the lease; completed: when that was
	state smallint not null,                 -- 0 in progress, 1 completed, 2 completed in a transaction
	attempt smallint not null,               -- 2 or more: an earlier attempt vanished
	result longblob,
	id binary(32) not null primary key,      -- the digest of namespace, operation, principal, tenant and key
	fingerprint varbinary(32) not null,
	namespace varchar(255) not null,         -- these five are for people, and cut where they are longer
	operation varchar(255) not null,
	principal varchar(255),
	tenant varchar(255),
	idempotency_key varchar(255) not null,
	trace varchar(64),                       -- of the latest attempt, for people
	replays integer,                         -- none: nobody counts them
	index idempotency_record_expires_at (expires_at)
) default character set utf8mb4 collate utf8mb4_bin;

-- What was completed inside a transaction, until a record takes it over, and who may complete nothing any more
create table if not exists idempotency_record_outcome (
	owner bigint not null primary key,       -- of the record
	id binary(32) not null,                  -- of the record
	completed_at datetime(3) not null,
	expires_at datetime(3) not null,         -- the record lives until then at least
	result longblob                          -- none: this owner has lost its key
);
