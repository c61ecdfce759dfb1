-- Does once what the other scripts do, with a record of its own. ARGV: channel

redis.call('SET', KEYS[1], struct.pack('>BI6', 0, clock()), 'PX', '1000')
redis.call('GET', KEYS[1])
redis.call('GETRANGE', KEYS[1], 0, 0)
keep(2000)
redis.call('SETRANGE', KEYS[1], 0, '\0')
redis.call('DEL', KEYS[1])
return type(publish(ARGV[1])) == 'number' and 1 or 0
