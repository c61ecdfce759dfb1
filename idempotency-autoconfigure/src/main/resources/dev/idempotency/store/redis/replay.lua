-- Comes first in a claim, since it is all of a replay that leaves no trace: the record as it is, with one question to
-- the server and without its time.

local record = redis.call('GET', KEYS[1])
if record and ARGV[3] == 'READ' and #record >= 39 and record:byte() == 1 and record:byte(17) % 2 == 1 then
	return record
end
