-- A page of a domain that rested may be fetched again.
local function wake(job, domain, now)
  local since = redis.call('HGET', DOMAIN(job, domain), 'idle')
  if not since then return end
  redis.call('HDEL', DOMAIN(job, domain), 'idle')
  redis.call('HINCRBY', JOB(job), 'idle', -1)
  redis.call('HINCRBY', DOMAIN(job, domain), 'opened', work_clock(job, now) - tonumber(since))
end
