-- Nothing is paid for under a lease after all: its reservation comes back, its slot is free, and it counts as direct.
-- Unlike `charge` it says nothing of the provider, which was not asked.
--
-- ARGV  1 lease
-- Gives 1, or 0 if the lease is lost, free or charged before.
local raw = redis.call('HGET', LEASES(), ARGV[1])
if not raw then return 0 end
local held = cjson.decode(raw)
if held.price == 0 then return 0 end
settle_money(ARGV[1], held, 0)
held.price = 0
held.method = 'direct'
redis.call('HSET', LEASES(), ARGV[1], cjson.encode(held))
return 1
