-- What scripts have in common. A script touches nothing but its KEYS, mostly one. The server's clock decides: when a
-- lease is over, and when a record is, which is then gone at that very moment: a server keeps what it is told to drop
-- at a time to the end of that millisecond, so it is told the one before.
-- What is where in a record stands in PackedRecord. Positions here begin with 1, those of GETRANGE and SETRANGE with 0.

-- The server's time in milliseconds.
local function clock()
	local time = redis.call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Whether this is a record as we write them. Anything else is left alone, and given to the store as it is.
local function isKnown(record)
	return #record >= 39 and record:byte() == 1
end

-- A time as a record tells it: milliseconds since it was created, in five bytes, which are 34 years.
local function since(created, time)
	return math.min(math.max(time - created, 0), 2 ^ 40 - 1)
end

-- When a record was created, its flags and its attempt; nil if an owner has it not.
local function heldBy(owner, record)
	if not record or not isKnown(record) or record:sub(24, 39) ~= owner then
		return nil
	end
	local created = struct.unpack('>I6', record, 2)
	local flags, attempt = struct.unpack('>BI2', record, 17)
	return created, flags, attempt
end

-- Has the record remembered for so long at least. Also for what it does beside: a server that is out of memory refuses
-- only the first write of a script, and not this one.
local function keep(millis)
	local left = redis.call('PTTL', KEYS[1])
	if left >= 0 then
		redis.call('PEXPIRE', KEYS[1], math.max(left, millis, 1))
	end
end

-- When a record will be forgotten. Redis 6.2 says only how long it has left, which is less exact.
local function expiry(name)
	local at = redis.pcall('PEXPIRETIME', name)
	return (type(at) == 'number' and at or clock() + redis.call('PTTL', name)) + 1
end

-- Wakes up whoever waits. A user without the right to publish must not fail after the record was changed: waiters
-- look again anyway.
local function publish(channel)
	return redis.pcall('PUBLISH', channel, KEYS[1]:sub(-64))
end
