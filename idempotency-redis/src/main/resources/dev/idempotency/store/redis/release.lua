-- ARGV: owner, the owner of the record from now on. An empty one forgets the key. Attempt 1 is forgotten unless it
-- has reported that its outcome is unknown.

local record = redis.call('GETRANGE', KEYS[1], 0, 21)
local flags, attempt = heldBy(ARGV[1], record)
if not flags then
	return 0
end
if ARGV[2] == '' or attempt == 1 and ARGV[2] == ('\0'):rep(8) then
	redis.call('DEL', KEYS[1])
else
	-- Changes the owner, so that a released claim can do nothing more
	local age, life = keep(record, 0)
	redis.call('SETRANGE', KEYS[1], 2,
		struct.pack('>I5I5', life, span(age)) .. record:sub(13, 14) .. ARGV[2])
end
if isAwaited(flags) then
	publish()
end
return 1
