-- Forgets a key in any state.

local head = redis.pcall('GETRANGE', KEYS[1], 0, 21)
if redis.call('DEL', KEYS[1]) == 0 then
	return 0
end
if type(head) == 'string' and isKnown(head) and isAwaited(head:byte(2)) then
	publish()
end
return 1
