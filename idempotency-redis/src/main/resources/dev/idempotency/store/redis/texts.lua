-- Precedes the scripts that look at what records tell people.

-- The most bytes of a head and texts: each has 255 characters at most.
local MOST = 8192

-- Where the operation and the key of a record begin, and where its texts end; nil if that is further than what is given.
local function textsOf(record)
	local flags, texts = record:byte(17), {}
	local at = flags % 4 >= 2 and 72 or 40
	-- Namespace and operation, then principal, tenant and trace where they are
	for i, flag in ipairs({ 0, 0, 4, 8, 16 }) do
		if flag == 0 or bit.band(flags, flag) ~= 0 then
			local last = record:find('\0', at, true)
			if not last then
				return nil
			end
			texts[i] = record:sub(at, last - 1)
			at = last + 1
		end
	end
	local last = bit.band(flags, 32) ~= 0 and at + 15 or record:find('\0', at, true)
	if not last or last > #record then
		return nil
	end
	return { namespace = texts[1], operation = texts[2], key = record:sub(at, last), last = last }
end

-- The texts of a record, and the record without its result; nil if it is none as we write them.
local function describe(name)
	for i, size in ipairs({ 512, MOST }) do
		local record = redis.call('GETRANGE', name, 0, size - 1)
		local texts = textsOf(record)
		if texts then
			return texts, record:sub(1, texts.last)
		elseif #record < size then
			return nil
		end
	end
	return nil
end

-- When a record was created, and its state; nil if it is none as we write them.
local function glance(name, now)
	local head = redis.pcall('GETRANGE', name, 0, 38)
	if type(head) ~= 'string' or not isKnown(head) then
		return nil
	end
	local created, time, size, flags = struct.unpack('>I6I5I4B', head, 2)
	return created, flags % 2 == 1 and 'COMPLETED' or created + time > now and 'IN_PROGRESS' or 'ABANDONED'
end
