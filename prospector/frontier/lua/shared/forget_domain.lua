-- All that is known of an open domain goes. True if it was open.
local function forget_domain(job, domain)
  local known = redis.call('HMGET', DOMAIN(job, domain), 'site', 'unlisted')
  local site = known[1]
  if not site then return false end
  redis.call('ZREM', STALLED(job), domain)
  if redis.call('HEXISTS', DOMAIN(job, domain), 'idle') == 1 then redis.call('HINCRBY', JOB(job), 'idle', -1) end
  redis.call('HINCRBY', JOB(job), 'queued', -redis.call('ZCARD', QUEUE(job, domain)))
  redis.call('DEL', DOMAIN(job, domain), QUEUE(job, domain), STATE(job, domain), SEEN(job, domain))
  leave_queue(job, domain, site)
  redis.call('ZREM', FINISHING(), job .. '\31' .. domain)
  redis.call('SREM', OPEN(job), domain)
  redis.call('HINCRBY', JOB(job), known[2] and 'asking' or 'open', -1)
  return true
end
