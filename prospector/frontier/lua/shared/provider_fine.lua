-- The provider has answered: the breaker is closed.
local function provider_fine(now)
  redis.call('HDEL', PROVIDER(), 'opened', 'probe', 'failures', 'first', 'called')
  redis.call('HSET', PROVIDER(), 'fine', now)
end
