-- Asked after the reservation is committed in the record and before a paid request leaves. Whatever Redis forgets after this,
-- the record knows of the call; and a lease that Redis has forgotten before is not spent on.
--
-- ARGV  1 lease
-- Gives 1 if it may be sent, else 0: settle the reservation with 0 credits and the lease as unsent.
local raw = redis.call('HGET', LEASES(), ARGV[1])
if not raw then return 0 end
local balanced = redis.call('HGET', JOB(cjson.decode(raw).job), 'balanced')
if not balanced or balanced ~= (redis.call('HGET', META(), 'boots') or '0') then return 0 end
redis.call('ZADD', PAID_FLYING(), 'XX', clock(), ARGV[1])
return 1
