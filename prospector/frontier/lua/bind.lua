-- The public address a site was found at: from now on the limits of that address hold for it.
--
-- ARGV  1 lease   2 address
-- Gives 0 if the request may be sent now, else the milliseconds to give the ticket back for (unsent), -1 if it is lost.
local now = clock()
local raw = redis.call('HGET', LEASES(), ARGV[1])
if not raw then return -1 end
local site, address = cjson.decode(raw).site, ARGV[2]
local old = redis.call('HGET', SITE(site), 'address')
if old == address then return 0 end
if old then redis.call('HINCRBY', ADDRESS(old), 'flying', -1) end
redis.call('HSET', SITE(site), 'address', address)
local at = address_slot(site, address, now)
redis.call('HINCRBY', ADDRESS(address), 'flying', 1)
return at - now
