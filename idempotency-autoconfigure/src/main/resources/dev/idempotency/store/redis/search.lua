-- Describes those of many records that are asked for, the newest first, and changes nothing.
-- ARGV: namespace, key, operation, state, least and greatest age, when they were created at the earliest, how many;
-- what is empty does not matter

local namespace, key, operation, state = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local latest = now - (tonumber(ARGV[5]) or 0)
local earliest = math.max(now - (tonumber(ARGV[6]) or now), tonumber(ARGV[7]))
local limit = tonumber(ARGV[8])

local function isWanted(name)
	-- Few fields first: nearly all records are completed, and most are older than those that were found already
	local some = redis.pcall('HMGET', name, 'state', 'created')
	local created = tonumber(some[2])
	if not created or created > latest or created < earliest
		or (state ~= '' and (some[1] == 'completed') ~= (state == 'COMPLETED')) then
		return nil
	end
	local rest = redis.call('HMGET', name, 'format', 'expires', 'namespace', 'operation', 'key', 'lease')
	local running = (tonumber(rest[6]) or 0) > now
	if rest[1] ~= '1' or tonumber(rest[2]) <= now or rest[3] ~= namespace
		or (operation ~= '' and rest[4] ~= operation) or (key ~= '' and rest[5] ~= key)
		or (state == 'IN_PROGRESS' and not running) or (state == 'ABANDONED' and running) then
		return nil
	end
	return created
end

local found = {}
for i, name in ipairs(KEYS) do
	local created = isWanted(name)
	if created then
		found[#found + 1] = { name = name, created = created }
	end
end
table.sort(found, function(one, other)
	if one.created ~= other.created then
		return one.created > other.created
	end
	return one.name < other.name
end)
local reply = { now }
for i = 1, math.min(limit, #found) do
	local name = found[i].name
	local fields = redis.call('HMGET', name, unpack(SUMMARY))
	reply[#reply + 1] = name
	for j = 1, #SUMMARY do
		reply[#reply + 1] = fields[j]
	end
	reply[#reply + 1] = redis.call('HSTRLEN', name, 'result')
end
return reply
