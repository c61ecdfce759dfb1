-- ARGV: the record as it would be if time began now, for how long it is remembered, what a replay does, whether it may
-- take over. Answers with the attempt; or with a record, before it the time if it is in progress.
-- What nearly all claims come to stands here, before anything that they can do without.

local record = redis.call('GET', KEYS[1])
if not record then
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	redis.call('SET', KEYS[1], struct.pack('>BI6', 1, now) .. ARGV[1]:sub(8), 'PX', ARGV[2])
	return 'G\0\1'
end
if ARGV[3] == 'READ' and #record >= 39 and record:byte() == 1 and record:byte(17) % 2 == 1 then
	return record
end
