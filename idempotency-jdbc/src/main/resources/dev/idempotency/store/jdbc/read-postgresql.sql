-- What is there under a key. Columns as they are, since each expression costs something in every claim.
select state, expires_at <= statement_timestamp() as over, attempt, fingerprint, replays, result, trace,
	created_at, ends_at, statement_timestamp()
from idempotency_record where id = ?
