-- Counts some records, and changes nothing. ARGV: namespace. Returns operations, and after each how many of its
-- records are in progress, abandoned, reported unknown and completed.

local now, numbers, reply = clock(), {}, {}
for i, name in ipairs(KEYS) do
	local head = glance(name)
	local texts = head and describe(name)
	if texts and texts.namespace == ARGV[1] then
		local counted = numbers[texts.operation]
		if not counted then
			counted = { IN_PROGRESS = 0, ABANDONED = 0, REPORTED_UNKNOWN = 0, COMPLETED = 0 }
			numbers[texts.operation] = counted
		end
		local state = stateOf(head, now, head:byte(2) % 2 == 0 and creation(name, head, now))
		counted[state] = counted[state] + 1
	end
end
for operation, counted in pairs(numbers) do
	reply[#reply + 1] = operation
	reply[#reply + 1] = counted.IN_PROGRESS
	reply[#reply + 1] = counted.ABANDONED
	reply[#reply + 1] = counted.REPORTED_UNKNOWN
	reply[#reply + 1] = counted.COMPLETED
end
return reply
