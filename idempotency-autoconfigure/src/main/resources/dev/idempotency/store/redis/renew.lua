-- ARGV: owner, lease

local record = read('owner')
if not isHeldBy(record, ARGV[1]) then
	return 0
end
local lease = now + tonumber(ARGV[2])
-- Work that outlives the ttl must not be forgotten while it runs
local expires = math.max(tonumber(record.expires), lease)
redis.call('HSET', KEYS[1], 'lease', lease, 'expires', expires)
expireAt(expires)
return 1
