-- Forgets a lease and returns what was handed out under it, or nil if it is lost.
local function drop_lease(lease)
  local raw = redis.call('HGET', LEASES(), lease)
  if not raw then return nil end
  local held = cjson.decode(raw)
  redis.call('HDEL', LEASES(), lease)
  redis.call('SREM', HANDS(held.worker), lease)
  if redis.call('EXISTS', DOMAIN(held.job, held.domain)) == 1 then
    redis.call('HINCRBY', DOMAIN(held.job, held.domain), 'flying', -1)
    redis.call('HINCRBY', JOB(held.job), 'flying', -1)
  end
  return held
end
