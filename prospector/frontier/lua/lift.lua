-- The job's pages are handed out (again), and what was parked for any of the reasons given joins its line of paid pages: a
-- bounded number now, the rest with the claims to come.
--
-- ARGV  1 job   2 credit cap (-1: as it was)   then reasons; with 'key' or 'credits' the provider is tried again, by all jobs
-- Gives the number of pages.
local UNPARKED_NOW = 1000
local job = ARGV[1]
local now = clock()
if redis.call('EXISTS', JOB(job)) == 0 then return 0 end
if tonumber(ARGV[2]) >= 0 then redis.call('HSET', JOB(job), 'cap', ARGV[2]) end
if redis.call('HGET', JOB(job), 'state') ~= 'running' then begin_run(job, now) end
redis.call('HSET', JOB(job), 'state', 'running')
local held_at = redis.call('HGET', JOB(job), 'held_at')
if held_at then
  redis.call('HINCRBY', JOB(job), 'rested', now - tonumber(held_at))
  redis.call('HDEL', JOB(job), 'held_at')
end
redis.call('ZADD', RUNNING(), 'NX', 0, job)
redis.call('HINCRBY', META(), 'changes', 1)
local lifted = 0
for i = 3, #ARGV do
  if redis.call('HGET', PROVIDER(), 'stopped') == ARGV[i] then redis.call('HDEL', PROVIDER(), 'stopped') end
  local parked = PARKED(job, ARGV[i])
  lifted = lifted + redis.call('ZCARD', parked)
  if redis.call('EXISTS', LIFTED(job)) == 1 then
    redis.call('ZUNIONSTORE', LIFTED(job), 2, LIFTED(job), parked)
    redis.call('DEL', parked)
  elseif redis.call('EXISTS', parked) == 1 then
    redis.call('RENAME', parked, LIFTED(job))
  end
end
unpark(job, LIFTED(job), UNPARKED_NOW)
return lifted
