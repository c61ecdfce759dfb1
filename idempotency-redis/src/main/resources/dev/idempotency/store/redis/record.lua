-- What scripts have in common. A script touches nothing but its KEYS, mostly one. The server's clock decides: when a
-- lease is over, and when a record is, which is then gone at that very moment: a server keeps what it is told to drop
-- at a time to the end of that millisecond, so it is told the one before.
-- No record has a date. It has its life, from the first claim to the end of its last millisecond, so that its age is
-- what of its life is not left; whoever changes its expiry changes its life by as much.
-- What is where in a record stands in PackedRecord. Positions here begin with 1, those of GETRANGE and SETRANGE with 0.

-- The server's time in milliseconds.
local function clock()
	local time = redis.call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Whether this is a record as we write them. Anything else is left alone, and given to the store as it is.
local function isKnown(record)
	return #record >= 22 and record:byte() == 2
end

-- Milliseconds as a record has them, in five bytes, which are 34 years.
local function span(millis)
	return math.min(math.max(millis, 0), 2 ^ 40 - 1)
end

local knowsExpiry = true

-- When a record will be forgotten. Redis 6.2 says only how long it has left, which counts if no time has passed between
-- two looks at the clock. One that somebody had kept for good does not age, lest it is taken from its owner.
local function expiry(name, record, now)
	local at = knowsExpiry and redis.pcall('PEXPIRETIME', name)
	knowsExpiry = type(at) == 'number'
	for i = 1, knowsExpiry and 0 or 10 do
		local time = clock()
		local left = redis.call('PTTL', name)
		at = left < 0 and left or time + left
		if clock() == time then
			break
		end
	end
	return at < 0 and now + struct.unpack('>I5', record, 3) or at + 1
end

-- When a record was created, which may be in the future if the clock was set back.
local function creation(name, record, now)
	return expiry(name, record, now) - struct.unpack('>I5', record, 3)
end

-- Its flags and its attempt; nil if an owner has it not, or has completed it.
local function heldBy(owner, record)
	if not isKnown(record) or record:sub(15, 22) ~= owner then
		return nil
	end
	local flags, attempt = record:byte(2), struct.unpack('>I2', record, 13)
	if flags % 2 == 1 then
		return nil
	end
	return flags, attempt
end

-- What it takes to have the record remembered for so long at least: its age, and its life and its expiry by then. A
-- server that is told of an expiry which has passed since forgets at once.
local function longer(record, millis)
	local now = clock()
	local ends, life = expiry(KEYS[1], record, now), struct.unpack('>I5', record, 3)
	local later = math.max(ends, now + math.max(millis + 1, 10))
	return now - ends + life, span(life + later - ends), later
end

-- Has the record remembered for so long at least, and answers with its age and the life that it has to be given. Also
-- for what it does beside: a server that is out of memory refuses only the first write of a script, and not this one.
local function keep(record, millis)
	local age, life, ends = longer(record, millis)
	redis.call('PEXPIREAT', KEYS[1], ends - 1)
	return age, life
end

local function isAwaited(flags)
	return flags % 128 >= 64
end

-- Wakes up whoever waits. A user without the right to publish must not fail after the record was changed: waiters
-- look again anyway.
local function publish()
	return redis.pcall('PUBLISH', KEYS[1]:sub(1, -33) .. 'ended', KEYS[1]:sub(-32))
end
