-- ARGV: channel, digest

local found = read()
if not found then
	return 0
end
redis.call('DEL', KEYS[1])
publish(ARGV[1], ARGV[2])
return 1
