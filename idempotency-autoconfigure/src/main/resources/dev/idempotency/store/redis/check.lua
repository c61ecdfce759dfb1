-- Does once what the other scripts do, with a record of its own. ARGV: channel

read()
redis.call('HSET', KEYS[1], 'check', 1)
redis.call('HINCRBY', KEYS[1], 'check', 1)
redis.call('HGET', KEYS[1], 'check')
expireAt(now + 1000)
redis.call('HDEL', KEYS[1], 'check')
redis.call('DEL', KEYS[1])
local published = publish(ARGV[1], 'check')
return type(published) == 'number' and 1 or 0
