-- ARGV: owner, result, ttl, channel, digest

local record = read('owner')
if record and record.state == 'completed' and record.owner == ARGV[1] then
	-- The driver sent the completion again after it lost the answer
	return redis.call('HGET', KEYS[1], 'result') == ARGV[2] and 1 or 0
end
if not isHeldBy(record, ARGV[1]) then
	return 0
end
local expires = now + tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'completed', 'completed', now, 'expires', expires, 'result', ARGV[2])
redis.call('HDEL', KEYS[1], 'lease')
expireAt(expires)
publish(ARGV[4], ARGV[5])
return 1
