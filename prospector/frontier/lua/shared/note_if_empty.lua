-- A domain with nothing queued, in flight or away has ended: it waits in FINISHING until its final row is written. One that
-- has pages away only, rests.
local function note_if_empty(job, domain, now)
  local known = redis.call('HMGET', DOMAIN(job, domain), 'flying', 'away')
  if not known[1] or tonumber(known[1]) > 0 then return false end
  if redis.call('EXISTS', QUEUE(job, domain)) == 1 then return false end
  if tonumber(known[2]) > 0 then
    rest(job, domain, now)
    return false
  end
  redis.call('ZADD', FINISHING(), 'NX', now, job .. '\31' .. domain)
  return true
end
