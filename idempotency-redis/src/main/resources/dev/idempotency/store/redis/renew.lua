-- ARGV: owner, lease

local created, flags = heldBy(ARGV[1], redis.call('GETRANGE', KEYS[1], 0, 38))
if not created or flags % 2 == 1 then
	return 0
end
local lease = tonumber(ARGV[2])
-- Work that outlives the ttl must not be forgotten while it runs
keep(lease)
redis.call('SETRANGE', KEYS[1], 7, struct.pack('>I5', since(created, clock() + lease)))
return 1
