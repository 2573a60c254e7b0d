-- A Retry-After of over ten minutes parks the domain until then: other domains are opened meanwhile.
local FAR_MS = 600000
local function stall(held, blocked_ms, now)
  if blocked_ms <= FAR_MS or redis.call('EXISTS', DOMAIN(held.job, held.domain)) == 0 then return end
  if redis.call('ZADD', STALLED(held.job), 'NX', now + blocked_ms, held.domain) == 1 then
    redis.call('HINCRBY', DOMAIN(held.job, held.domain), 'opened', blocked_ms)  -- its time does not run meanwhile
  end
end
