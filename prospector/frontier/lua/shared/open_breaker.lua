-- Gives the moment of the first probe.
local PROBE_MS = 15100  -- fewer than one in 15 s
local function open_breaker(now)
  redis.call('HSETNX', PROVIDER(), 'opened', now)
  redis.call('HSET', PROVIDER(), 'probe', now + PROBE_MS)
  return now + PROBE_MS
end
