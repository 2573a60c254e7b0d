-- What a paid request cost is known: the reservation becomes this charge, and the slot is free. Later calls change nothing.
--
-- ARGV  1 lease   2 credits
-- Gives 1, or 0 if the lease is lost, free or charged before.
local now = clock()
local raw = redis.call('HGET', LEASES(), ARGV[1])
if not raw then return 0 end
local held = cjson.decode(raw)
if held.price == 0 then return 0 end
settle_money(held, tonumber(ARGV[2]), now)
held.price = 0
redis.call('HSET', LEASES(), ARGV[1], cjson.encode(held))
return 1
