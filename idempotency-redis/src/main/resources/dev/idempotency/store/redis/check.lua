-- Runs each command of the other scripts once, with a record of its own.

redis.call('SET', KEYS[1], struct.pack('>BBI5I5', 2, 0, 1001, 0) .. ('\0'):rep(10), 'PX', '1000')
local record = redis.call('GET', KEYS[1])
redis.call('GETRANGE', KEYS[1], 0, 0)
keep(record, 2000)
redis.call('SETRANGE', KEYS[1], 0, '\0')
redis.call('SET', KEYS[1], record, 'KEEPTTL')
redis.call('PTTL', KEYS[1])
redis.call('DEL', KEYS[1])
return type(redis.pcall('PUBLISH', ARGV[1], '')) == 'number' and 1 or 0
