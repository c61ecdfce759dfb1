-- Returns a record, preceded by the time and its expiry, and changes nothing.

local record = redis.call('GET', KEYS[1])
if not record then
	return false
end
if not isKnown(record) then
	return 'O' .. record
end
local now = clock()
return 'D' .. struct.pack('>I6I6', now, expiry(KEYS[1], record, now)) .. record
