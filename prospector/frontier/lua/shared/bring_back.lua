-- A page that was away (later, suspect, in line) goes to the front of its queue.
local FRONT = -2 ^ 51
local function bring_back(job, domain, url, now)
  local site = redis.call('HGET', DOMAIN(job, domain), 'site')
  if not site then return false end
  redis.call('HINCRBY', DOMAIN(job, domain), 'away', -1)
  wake(job, domain, now)
  enqueue(job, domain, site, url, FRONT + redis.call('HINCRBY', DOMAIN(job, domain), 'seq', 1), now)
  return true
end
