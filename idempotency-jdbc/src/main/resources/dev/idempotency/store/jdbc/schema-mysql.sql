create table if not exists idempotency_record (
	id binary(32) not null primary key,      -- the digest of namespace, operation, principal, tenant and key
	namespace varchar(255) not null,         -- these five are for people, and cut where they are longer
	operation varchar(255) not null,
	principal varchar(255),
	tenant varchar(255),
	idempotency_key varchar(255) not null,
	state varchar(11) not null,              -- IN_PROGRESS or COMPLETED
	attempt integer not null,                -- 2 or more: an earlier attempt vanished
	owner varbinary(16) not null,
	fingerprint varbinary(32) not null,
	created_at datetime(3) not null,         -- all times are UTC
	lease_until datetime(3) not null,
	completed_at datetime(3),
	expires_at datetime(3) not null,
	replays bigint not null,
	trace varchar(64),                       -- of the latest attempt, for people
	result longblob,
	index idempotency_record_expires_at (expires_at),
	index idempotency_record_created_at (created_at)
) default character set utf8mb4 collate utf8mb4_bin;

-- What was completed inside a transaction, until a record takes it over, and who may complete nothing any more
create table if not exists idempotency_record_outcome (
	owner binary(16) not null primary key,   -- of the record
	id binary(32) not null,                  -- of the record
	completed_at datetime(3) not null,
	expires_at datetime(3) not null,
	result longblob                          -- none: this owner has lost its key
);
