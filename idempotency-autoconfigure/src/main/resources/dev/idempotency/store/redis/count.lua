-- Counts some records, and changes nothing. ARGV: namespace. Answers with operations, and after each how many of its
-- records are in progress, abandoned and completed

local numbers, reply = {}, {}
for i, name in ipairs(KEYS) do
	local record = redis.pcall('HMGET', name, 'format', 'namespace', 'expires', 'operation', 'state', 'lease')
	if record[1] == '1' and record[2] == ARGV[1] and tonumber(record[3]) > now then
		local operation = record[4]
		if not numbers[operation] then
			numbers[operation] = { 0, 0, 0 }
		end
		local state = record[5] == 'completed' and 3 or (tonumber(record[6]) or 0) > now and 1 or 2
		numbers[operation][state] = numbers[operation][state] + 1
	end
end
for operation, counted in pairs(numbers) do
	reply[#reply + 1] = operation
	for state = 1, 3 do
		reply[#reply + 1] = counted[state]
	end
end
return reply
