-- Reads the record of a key. Plain columns where possible, because each expression adds to the cost of every claim.
select state, expires_at <= statement_timestamp() as over, attempt, fingerprint, replays, result, trace,
	created_at, ends_at, statement_timestamp()
from idempotency_record where id = ?
