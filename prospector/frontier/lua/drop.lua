-- Forgets a job, a bounded number of domains a call. Leases in flight end by themselves.
--
-- ARGV  1 job   2 most domains a call
-- Gives 1 when nothing of the job is left, else 0: call again.
local job, most = ARGV[1], tonumber(ARGV[2])
redis.call('ZREM', RUNNING(), job)
redis.call('HINCRBY', META(), 'changes', 1)
redis.call('UNLINK', WAITING(job), STALLED(job), LIFTED(job), PAID(job), RATE(job))
redis.call('ZREM', PAID_WAITING(), job)
for _, domain in ipairs(redis.call('SRANDMEMBER', OPEN(job), most)) do
  local site = redis.call('HGET', DOMAIN(job, domain), 'site')
  redis.call('UNLINK', DOMAIN(job, domain), QUEUE(job, domain), STATE(job, domain), SEEN(job, domain))
  if site then leave_queue(job, domain, site) end
  redis.call('ZREM', FINISHING(), job .. '\31' .. domain)
  redis.call('SREM', OPEN(job), domain)
end
if redis.call('EXISTS', OPEN(job)) == 1 then return 0 end
for _, reason in ipairs({'budget', 'key', 'credits', 'provider'}) do redis.call('UNLINK', PARKED(job, reason)) end
redis.call('UNLINK', JOB(job), READY(job))
return 1
