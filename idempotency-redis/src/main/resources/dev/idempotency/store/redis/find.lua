-- Answers with a record, before it the time and when it will be forgotten, and changes nothing.

local record = redis.call('GET', KEYS[1])
if not record then
	return false
end
if not isKnown(record) then
	return 'O' .. record
end
return 'D' .. struct.pack('>I6I6', clock(), expiry(KEYS[1])) .. record
