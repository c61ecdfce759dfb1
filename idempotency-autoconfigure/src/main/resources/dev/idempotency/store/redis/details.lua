-- Describes a record with its result, and changes nothing

local format = redis.call('HGET', KEYS[1], 'format')
if not format then
	return {}
end
local fields = redis.call('HMGET', KEYS[1], 'result', unpack(SUMMARY))
if tonumber(redis.call('HGET', KEYS[1], 'expires')) <= now then
	return {}
end
local reply = { format, now }
for i = 1, #SUMMARY + 1 do
	reply[i + 2] = fields[i]
end
return reply
