-- The part of a completion without a result, or for a record that is awaited, that would expire too early, or that is
-- completed already.

if format ~= 2 then
	return 0
end
local sized = told:sub(14) .. ARGV[2]
if flags % 2 == 1 then
	-- The driver sent the completion again after it lost the reply
	return record:sub(-#sized) == sized and 1 or 0
end
local age, ends
age, life, ends = longer(record, least)
if #ARGV[2] == 2 then
	-- A server out of memory then also stores that the operation has run: see keep()
	redis.call('PEXPIREAT', KEYS[1], ends - 1)
end
redis.call('SET', KEYS[1], struct.pack('>BBI5I5', 2, flags + 1, life, span(age)) .. record:sub(13) .. sized, 'PXAT',
	ends - 1)
if isAwaited(flags) then
	publish()
end
return 1
