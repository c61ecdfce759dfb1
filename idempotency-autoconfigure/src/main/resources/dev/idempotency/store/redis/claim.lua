-- ARGV: owner, fingerprint, lease, ttl, may take over, what a replay does, trace or nothing; then names and values for people to read

local owner, fingerprint, lease, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local mayTakeOver, onReplay, trace = ARGV[5] == '1', ARGV[6], ARGV[7]

local function grant(attempt)
	redis.call('HSET', KEYS[1], 'owner', owner, 'attempt', attempt, 'lease', now + lease, 'expires', now + ttl)
	if trace ~= '' then
		redis.call('HSET', KEYS[1], 'trace', trace)
	elseif attempt > 1 then
		redis.call('HDEL', KEYS[1], 'trace')
	end
	expireAt(now + ttl)
	return { 'granted', attempt }
end

local record = readAll()
if not record then
	-- The first write of the script: a server that is out of memory refuses the first one only
	redis.call('HSET', KEYS[1], 'format', 1, 'state', 'in-progress', 'fingerprint', fingerprint, 'created', now,
		unpack(ARGV, 8))
	return grant(1)
end
if record.format ~= '1' then
	return describe(record)
end
if record.state == 'completed' then
	if record.fingerprint ~= fingerprint then
		return describe(record)
	end
	if onReplay == 'COUNT' then
		record.replays = redis.call('HINCRBY', KEYS[1], 'replays', 1)
	elseif onReplay == 'EXTEND' and tonumber(record.expires) < now + ttl then
		record.expires = now + ttl
		-- In this order: a server that is out of memory lets through what does not begin with adding something
		expireAt(record.expires)
		redis.call('HSET', KEYS[1], 'expires', record.expires)
	end
	return describe(record)
end
if record.owner == owner then
	-- The driver sent the claim again after it lost the answer. Written again, so that WAIT after it means something
	return grant(tonumber(record.attempt))
end
if mayTakeOver and tonumber(record.lease) <= now and record.fingerprint == fingerprint then
	return grant(tonumber(record.attempt) + 1)
end
return describe(record)
