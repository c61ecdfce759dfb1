-- The part of a claim that may change a present record.

if not isKnown(record) then
	return 'O' .. record
end
local flags, attempt = record:byte(2), struct.unpack('>I2', record, 13)
local hasPrint = flags % 4 >= 2
local isSame = hasPrint == (ARGV[1]:byte(2) % 4 >= 2)
	and (not hasPrint or record:sub(23, 54) == ARGV[1]:sub(23, 54))
local ttl = tonumber(ARGV[2])
if flags % 2 == 1 then
	local at, owner = isSame and ARGV[3] == 'COUNT' and replaysOf(record), ARGV[1]:sub(15, 22)
	if at and flags >= 128 then
		if record:sub(at + 4, at + 11) == owner then
			-- The driver sent the claim again after it lost the reply
			return record
		end
		local counted = struct.pack('>I4', math.min(struct.unpack('>I4', record, at) + 1, 2 ^ 32 - 1)) .. owner
		redis.call('SETRANGE', KEYS[1], at - 1, counted)
		return record:sub(1, at - 1) .. counted .. record:sub(at + 12)
	elseif at then
		record = record:sub(1, 1) .. string.char(flags + 128) .. record:sub(3, at - 1) .. struct.pack('>I4', 1) .. owner
			.. record:sub(at)
		redis.call('SET', KEYS[1], record, 'KEEPTTL')
	elseif isSame and ARGV[3] == 'EXTEND' and redis.call('PTTL', KEYS[1]) < ttl then
		local age, life = keep(record, ttl)
		redis.call('SETRANGE', KEYS[1], 2, struct.pack('>I5', life))
	end
	return record
end
local now = clock()
local age = now - creation(KEYS[1], record, now)
local lease = struct.unpack('>I5', ARGV[1], 8)
if record:sub(15, 22) ~= ARGV[1]:sub(15, 22) then
	if ARGV[4] ~= '1' or not isSame or struct.unpack('>I5', record, 8) > age then
		if ARGV[5] == '1' and not isAwaited(flags) then
			-- The waiter has marked an earlier attempt
			redis.pcall('SETRANGE', KEYS[1], 1, string.char(flags + 64))
		end
		return 'R' .. struct.pack('>I6', span(age)) .. record
	end
	attempt = math.min(attempt + 1, 2 ^ 16 - 1)
end
-- A takeover; or the driver sent the claim again after it lost the reply. The record is written again, so that a WAIT
-- after it covers the write.
redis.call('SET', KEYS[1], struct.pack('>BBI5I5I2', 2, ARGV[1]:byte(2) + (isAwaited(flags) and 64 or 0),
	span(age + ttl + 1), span(age + lease), attempt) .. ARGV[1]:sub(15), 'PXAT', now + ttl)
return 'G' .. struct.pack('>I2', attempt)
