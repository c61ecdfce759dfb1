-- ARGV: owner, channel, whether also to forget a key that was taken over

local record = redis.call('GETRANGE', KEYS[1], 0, 38)
local created, flags, attempt = heldBy(ARGV[1], record)
if not created or flags % 2 == 1 then
	return 0
end
if attempt == 1 or ARGV[3] == '1' then
	redis.call('DEL', KEYS[1])
else
	-- Nobody's: a claim that was given back can do nothing more
	keep(0)
	redis.call('SETRANGE', KEYS[1], 7,
		struct.pack('>I5', since(created, clock())) .. record:sub(13, 23) .. ('\0'):rep(16))
end
publish(ARGV[2])
return 1
