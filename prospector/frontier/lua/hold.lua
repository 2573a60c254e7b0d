-- No new request of this job from now on. What is in flight ends and counts.
--
-- ARGV  1 job
-- Gives the number of its leases in flight.
local job = ARGV[1]
redis.call('ZREM', RUNNING(), job)
if redis.call('EXISTS', JOB(job)) == 0 then return 0 end
redis.call('HSET', JOB(job), 'state', 'held')
redis.call('HSETNX', JOB(job), 'held_at', clock())
redis.call('HINCRBY', META(), 'changes', 1)
return tonumber(redis.call('HGET', JOB(job), 'flying') or 0)
