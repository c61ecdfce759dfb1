-- Describes the records that match, the newest first, and changes nothing.
-- ARGV: namespace, packed key, operation, state, minimum and maximum age, earliest creation, limit. An empty one is
-- ignored. Returns the time, then names, and after each its record without the result, and its expiry.

local now = clock()
local namespace, key, operation, wanted = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local latest = now - (tonumber(ARGV[5]) or 0)
local earliest = math.max(now - (tonumber(ARGV[6]) or now), tonumber(ARGV[7]))
local limit = tonumber(ARGV[8])

local found = {}
for i, name in ipairs(KEYS) do
	-- The head first: nearly all records are completed, and most are older than those that were found already
	local head = glance(name)
	local created = head and creation(name, head, now)
	if created and created <= latest and created >= earliest
		and (wanted == '' or wanted == stateOf(head, now, created)) then
		local texts, record = describe(name)
		if texts and texts.namespace == namespace and (operation == '' or texts.operation == operation)
			and (key == '' or texts.key == key) then
			found[#found + 1] = { name = name, created = created, record = record }
		end
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
	reply[#reply + 1] = found[i].name
	reply[#reply + 1] = found[i].record
	reply[#reply + 1] = expiry(found[i].name, found[i].record, now)
end
return reply
