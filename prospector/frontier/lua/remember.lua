-- How the pages of a domain are read, as its last page has taught.
--
-- ARGV  1 lease   2 method its next page begins with   3 what is remembered (JSON)
-- Gives 1, or 0 if the lease is lost.
local raw = redis.call('HGET', LEASES(), ARGV[1])
if not raw then return 0 end
local held = cjson.decode(raw)
if redis.call('EXISTS', DOMAIN(held.job, held.domain)) == 0 then return 0 end
redis.call('HSET', DOMAIN(held.job, held.domain), 'method', ARGV[2], 'memory', ARGV[3])
return 1
