-- ARGV: the record of a first attempt, how long to keep it, what a replay does, whether a takeover is allowed, whether
-- the key is awaited. Returns the attempt, or the record, preceded by its age if it is in progress.
-- Nearly all claims end in this file. It comes first, to save them the functions of the others.

local record = redis.call('GET', KEYS[1])
if not record then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
	return 'G\0\1'
end
if ARGV[3] == 'READ' and #record >= 22 and record:byte() == 2 and record:byte(2) % 2 == 1 then
	return record
end
