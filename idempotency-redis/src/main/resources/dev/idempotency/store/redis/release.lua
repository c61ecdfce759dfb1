-- ARGV: owner, whether to forget also a key that was taken over

local record = redis.call('GETRANGE', KEYS[1], 0, 21)
local flags, attempt = heldBy(ARGV[1], record)
if not flags then
	return 0
end
if attempt == 1 or ARGV[2] == '1' then
	redis.call('DEL', KEYS[1])
else
	-- Clears the owner, so that a released claim can do nothing more
	local age, life = keep(record, 0)
	redis.call('SETRANGE', KEYS[1], 2,
		struct.pack('>I5I5', life, span(age)) .. record:sub(13, 14) .. ('\0'):rep(8))
end
if isAwaited(flags) then
	publish()
end
return 1
