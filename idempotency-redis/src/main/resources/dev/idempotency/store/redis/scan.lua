-- One step of a scan of the names on this server. KEYS[1] routes to a server of a cluster. ARGV: cursor, pattern, count

local step = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
local reply = { redis.call('DBSIZE'), step[1] }
for i, name in ipairs(step[2]) do
	reply[i + 2] = name
end
return reply
