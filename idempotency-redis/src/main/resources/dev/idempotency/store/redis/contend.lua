-- What a claim does with a record that it does not only read.

if not isKnown(record) then
	return 'O' .. record
end
local created = struct.unpack('>I6', record, 2)
local flags, attempt, replays = struct.unpack('>BI2I4', record, 17)
local hasPrint = flags % 4 >= 2
local isSame = hasPrint == (ARGV[1]:byte(17) % 4 >= 2)
	and (not hasPrint or record:sub(40, 71) == ARGV[1]:sub(40, 71))
if flags % 2 == 1 then
	if isSame and ARGV[3] == 'COUNT' then
		local counted = struct.pack('>I4', math.min(replays + 1, 2 ^ 32 - 1))
		redis.call('SETRANGE', KEYS[1], 19, counted)
		return record:sub(1, 19) .. counted .. record:sub(24)
	elseif isSame and ARGV[3] == 'EXTEND' and redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
		keep(tonumber(ARGV[2]))
	end
	return record
end
local now = clock()
local lease = struct.unpack('>I5', ARGV[1], 8)
if record:sub(24, 39) ~= ARGV[1]:sub(24, 39) then
	if ARGV[4] ~= '1' or not isSame or created + struct.unpack('>I5', record, 8) > now then
		return 'R' .. struct.pack('>I6', now) .. record
	end
	attempt = math.min(attempt + 1, 2 ^ 16 - 1)
end
-- Taken over; or the driver sent the claim again after it lost the answer, which is written again, so that WAIT after it
-- means something
redis.call('SET', KEYS[1], struct.pack('>BI6I5', 1, created, since(created, now + lease)) .. ARGV[1]:sub(13, 17)
	.. struct.pack('>I2', attempt) .. ARGV[1]:sub(20), 'PX', ARGV[2])
return 'G' .. struct.pack('>I2', attempt)
