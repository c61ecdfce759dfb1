-- ARGV: owner, lease

local record = redis.call('GETRANGE', KEYS[1], 0, 21)
if not heldBy(ARGV[1], record) then
	return 0
end
local lease = tonumber(ARGV[2])
-- The record of an operation that outlives the ttl must not expire while it runs
local age, life = keep(record, lease)
redis.call('SETRANGE', KEYS[1], 2, struct.pack('>I5I5', life, span(age + lease)))
return 1
