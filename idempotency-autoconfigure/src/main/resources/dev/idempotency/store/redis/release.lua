-- ARGV: owner, channel, digest

local record = read('owner', 'attempt')
if not isHeldBy(record, ARGV[1]) then
	return 0
end
if record.attempt == '1' then
	redis.call('DEL', KEYS[1])
else
	-- Nobody's: a claim that was given back can do nothing more
	redis.call('HDEL', KEYS[1], 'owner')
	redis.call('HSET', KEYS[1], 'lease', now)
end
publish(ARGV[2], ARGV[3])
return 1
