-- Marks a record in progress as awaited.

local record = redis.call('GETRANGE', KEYS[1], 0, 21)
if not isKnown(record) then
	return 0
end
local flags = record:byte(2)
if flags % 2 == 0 and not isAwaited(flags) then
	redis.call('SETRANGE', KEYS[1], 1, string.char(flags + 64))
end
return 1
