-- ARGV: owner, for how long it is remembered, result, channel. Does without what other scripts have in common: half of
-- what a first request costs the server is this.

local record = redis.call('GET', KEYS[1])
if not record or #record < 39 or record:byte() ~= 1 or record:sub(24, 39) ~= ARGV[1] then
	return 0
end
local created, lease, size, flags = struct.unpack('>I6I5I4B', record, 2)
if flags % 2 == 1 then
	-- The driver sent the completion again after it lost the answer
	return size == #ARGV[3] and record:sub(#record - size + 1) == ARGV[3] and 1 or 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = math.min(math.max(now - created, 0), 2 ^ 40 - 1)
redis.call('SET', KEYS[1], record:sub(1, 7) .. struct.pack('>I5I4B', taken, #ARGV[3], flags + 1) .. record:sub(18)
	.. ARGV[3], 'PX', ARGV[2])
redis.pcall('PUBLISH', ARGV[4], KEYS[1]:sub(-64))
return 1
