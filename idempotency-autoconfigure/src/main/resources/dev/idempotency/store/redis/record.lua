-- Precedes every script. A script touches nothing but its KEYS, mostly one, and the server's clock decides what is over.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Some fields of the record, or nil if nothing is remembered. Redis drops a record within a millisecond or so of
-- its end; for us it is gone at that very moment. Every format, also one to come, has the fields state, expires and format.
local function read(...)
	local names = { 'state', 'expires', ... }
	local values = redis.call('HMGET', KEYS[1], unpack(names))
	local record = {}
	for i, name in ipairs(names) do
		record[name] = values[i]
	end
	if not record.state then
		return nil
	end
	if tonumber(record.expires) <= now then
		redis.call('DEL', KEYS[1])
		return nil
	end
	return record
end

-- Everything about the record.
local function readAll()
	return read('format', 'owner', 'fingerprint', 'attempt', 'lease', 'replays', 'result', 'created', 'completed', 'trace')
end

-- What the store makes a record of, in the order that RecordReply expects.
local function describe(record)
	return { record.state, record.format, record.attempt, record.fingerprint, tonumber(record.lease or now) - now,
		record.replays or 0, record.result, record.created, record.expires, record.completed, record.trace }
end

-- What people see of a record, in the order that SummaryReply expects.
local SUMMARY = { 'state', 'attempt', 'lease', 'created', 'completed', 'expires', 'replays', 'trace', 'namespace',
	'operation', 'principal', 'tenant', 'key' }

-- Whether a claim still holds the record.
local function isHeldBy(record, owner)
	return record and record.state == 'in-progress' and record.owner == owner
end

local function expireAt(millis)
	redis.call('PEXPIREAT', KEYS[1], millis)
end

-- Wakes up whoever waits. A user without the right to publish must not fail after the record was changed: waiters
-- look again anyway.
local function publish(channel, digest)
	return redis.pcall('PUBLISH', channel, digest)
end
