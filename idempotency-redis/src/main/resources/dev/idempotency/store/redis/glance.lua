-- Precedes the scripts that read the texts of records.

-- The most bytes of a head and texts: each has 255 characters at most.
local MOST = 8192

-- The most bytes of replays and the size of a result.
local NUMBERS = 16

-- The owner of a record whose last attempt has reported that its outcome is unknown.
local REPORTED = ('\0'):rep(7) .. '\1'

-- The texts of a record, and the record without its result; nil if the format is unknown.
local function describe(name)
	for i, size in ipairs({ 512, MOST }) do
		local record = redis.call('GETRANGE', name, 0, size - 1)
		local texts = textsOf(record)
		if texts and (texts.last + NUMBERS <= #record or #record < size) then
			return texts, record:sub(1, texts.last + NUMBERS)
		elseif #record < size then
			return nil
		end
	end
	return nil
end

-- The head of a record; nil if the format is unknown.
local function glance(name)
	local head = redis.pcall('GETRANGE', name, 0, 21)
	return type(head) == 'string' and isKnown(head) and head or nil
end

-- The state of a record. The time of its creation matters only if it is not completed.
local function stateOf(head, now, created)
	return head:byte(2) % 2 == 1 and 'COMPLETED'
		or created + struct.unpack('>I5', head, 8) > now and 'IN_PROGRESS'
		or head:sub(15, 22) == REPORTED and 'REPORTED_UNKNOWN' or 'ABANDONED'
end
