-- The functions that scripts share. A script touches only its KEYS, mostly one. The server's clock decides when a
-- lease or a record expires. The server keeps a record until the end of the millisecond of its expiry, so the expiry is
-- set one millisecond earlier.
-- A record contains no date. It contains its life, from the first claim to the end of its last millisecond. Its age is
-- its life minus the time that is left. A script that changes the expiry changes the life by as much.
-- PackedRecord describes the layout of a record. Positions here begin with 1, those of GETRANGE and SETRANGE with 0.

-- The server's time in milliseconds.
local function clock()
	local time = redis.call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Whether the format of a record is known. Anything else is left alone, and returned to the store as it is.
local function isKnown(record)
	return #record >= 22 and record:byte() == 2
end

-- Milliseconds limited to five bytes, which are 34 years.
local function span(millis)
	return math.min(math.max(millis, 0), 2 ^ 40 - 1)
end

local knowsExpiry = true

-- When a record expires. Redis 6.2 returns only the time that is left, which is exact if the clock has not advanced
-- meanwhile. A record without an expiry (PERSIST) does not age, so that it is not taken from its owner.
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

-- When a record was created. This may be in the future if the clock was set back.
local function creation(name, record, now)
	return expiry(name, record, now) - struct.unpack('>I5', record, 3)
end

-- The flags and the attempt of a record; nil if the owner does not hold it, or has completed it.
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

-- Calculates how to keep the record for at least the given time: its age, its new life and its new expiry. A server
-- drops a record at once whose new expiry has passed meanwhile.
local function longer(record, millis)
	local now = clock()
	local ends, life = expiry(KEYS[1], record, now), struct.unpack('>I5', record, 3)
	local later = math.max(ends, now + math.max(millis + 1, 10))
	return now - ends + life, span(life + later - ends), later
end

-- Keeps the record for at least the given time, and returns its age and the life to write. Also called first for the
-- sake of later writes: a server out of memory refuses only the first write of a script, and never this one.
local function keep(record, millis)
	local age, life, ends = longer(record, millis)
	redis.call('PEXPIREAT', KEYS[1], ends - 1)
	return age, life
end

local function isAwaited(flags)
	return flags % 128 >= 64
end

-- Wakes up the waiters. A user without the right to publish must not fail after the record was changed: waiters
-- poll anyway.
local function publish()
	return redis.pcall('PUBLISH', KEYS[1]:sub(1, -33) .. 'ended', KEYS[1]:sub(-32))
end
