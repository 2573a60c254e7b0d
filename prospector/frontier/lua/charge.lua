-- A paid request was answered: the reservation becomes this charge, and the slot is free. Later calls change nothing.
--
-- ARGV  1 lease   2 credits (-1: it was answered, but nobody knows the price: the reservation stays)
-- Gives 1, or 0 if the lease is lost, free or charged before.
local now = clock()
provider_fine(now)
local raw = redis.call('HGET', LEASES(), ARGV[1])
if not raw then return 0 end
local held = cjson.decode(raw)
if held.price == 0 or tonumber(ARGV[2]) < 0 then return 0 end
settle_money(ARGV[1], held, tonumber(ARGV[2]))
held.price = 0
redis.call('HSET', LEASES(), ARGV[1], cjson.encode(held))
return 1
