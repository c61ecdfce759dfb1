-- The texts of a record, and where they end; nil if the given bytes end earlier.
local function textsOf(record)
	local flags, texts = record:byte(2), {}
	local at = flags % 4 >= 2 and 55 or 23
	-- Namespace and operation, then principal, tenant and trace if present
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

-- The position of the replays in a completed record, or where they would be; nil if the size of its result is wrong.
-- The size precedes the result, seven bits per byte, the lowest first.
local function replaysOf(record)
	local texts = textsOf(record)
	if not texts then
		return nil
	end
	local at, size, factor = texts.last + (record:byte(2) >= 128 and 12 or 0), 0, 1
	repeat
		at = at + 1
		local part = record:byte(at)
		if not part then
			return nil
		end
		size, factor = size + part % 128 * factor, factor * 128
	until part < 128
	return size == #record - at and texts.last + 1 or nil
end
