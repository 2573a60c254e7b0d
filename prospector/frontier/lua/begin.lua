-- Makes an empty Redis a frontier. The epoch comes from Postgres and never comes twice, so a lease never does.
--
-- ARGV  1 epoch
-- Gives 1, or 0 if it was begun already.
local HEARD_MS = 2000  -- for so long a worker may send what was granted before all was lost (pump.py)
if redis.call('HEXISTS', META(), 'epoch') == 1 then return 0 end
redis.call('HSET', META(), 'epoch', ARGV[1], 'boot', clock() + HEARD_MS)
return 1
