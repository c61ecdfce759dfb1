-- ARGV: the record of a first attempt, for how long it is remembered, what a replay does, whether it may take over,
-- whether somebody waits. Answers with the attempt; or with a record, before it its age if it is in progress.
-- What nearly all claims come to stands here, before anything that they can do without.

local record = redis.call('GET', KEYS[1])
if not record then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
	return 'G\0\1'
end
if ARGV[3] == 'READ' and #record >= 22 and record:byte() == 2 and record:byte(2) % 2 == 1 then
	return record
end
