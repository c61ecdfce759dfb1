-- ARGV: owner, for how long it is remembered, result, channel

local record = redis.call('GET', KEYS[1])
local created, flags = heldBy(ARGV[1], record)
if not created then
	return 0
end
if flags % 2 == 1 then
	-- The driver sent the completion again after it lost the answer
	local size = struct.unpack('>I4', record, 13)
	return size == #ARGV[3] and record:sub(#record - size + 1) == ARGV[3] and 1 or 0
end
redis.call('SET', KEYS[1], record:sub(1, 7) .. struct.pack('>I5I4B', since(created, clock()), #ARGV[3], flags + 1)
	.. record:sub(18) .. ARGV[3], 'PX', ARGV[2])
publish(ARGV[4])
return 1
