-- ARGV: channel

if redis.call('DEL', KEYS[1]) == 0 then
	return 0
end
publish(ARGV[1])
return 1
