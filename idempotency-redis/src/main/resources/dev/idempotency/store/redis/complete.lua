-- ARGV: owner, how long to keep the record at least and the size of the result, all in one; the result. Nearly all
-- completions end in this file. It comes first, to save them the functions of the others. A completion is half of what
-- a first request costs the server, and a third of that are strings which a script makes.

local call, key, told = redis.call, KEYS[1], ARGV[1]
local record = call('GET', key)
if not record or #record < 22 or record:sub(15, 22) ~= told:sub(1, 8) then
	return 0
end
local format, flags, life = struct.unpack('>BBI5', record)
local left, least = call('PTTL', key), struct.unpack('>I5', told, 9)
if format == 2 and flags < 64 and flags % 2 == 0 and left >= least and #ARGV[2] > 2 then
	call('SET', key, struct.pack('>BBI5I5', 2, flags + 1, life, math.max(life - left - 1, 0)) .. record:sub(13)
		.. told:sub(14) .. ARGV[2], 'KEEPTTL')
	return 1
end
