-- A paid request met a failure of the provider itself, not of the site.
--
-- ARGV  1 lease   2 credits charged (-1: nobody knows)   3 how: 'failed', 'busy', 'key' (it is wrong) or 'credits' (none left)
--       4 for 'busy': how many in flight the account allows (0: it did not say)
-- Gives 1 if the breaker is open, else 0.
local OPEN_AFTER_FAILURES = 10  -- in a row
local OPEN_AFTER_MS = 10000     -- of failures and nothing else
local LOWERED_MS = 600000
local now = clock()
local raw = redis.call('HGET', LEASES(), ARGV[1])
local how, allowed = ARGV[3], tonumber(ARGV[4])
if raw and tonumber(ARGV[2]) >= 0 then
  local held = cjson.decode(raw)
  if held.price > 0 then
    settle_money(ARGV[1], held, tonumber(ARGV[2]))
    held.price = 0
    redis.call('HSET', LEASES(), ARGV[1], cjson.encode(held))
  end
end
if how == 'busy' then
  local most = allowed > 0 and allowed or math.max(1, redis.call('ZCARD', PAID_FLYING()))
  redis.call('HSET', PROVIDER(), 'most', most, 'most_until', now + LOWERED_MS)
elseif how == 'key' or how == 'credits' then
  redis.call('HSET', PROVIDER(), 'stopped', how)
else
  redis.call('HSETNX', PROVIDER(), 'first', now)
  local failures = redis.call('HINCRBY', PROVIDER(), 'failures', 1)
  local failing_ms = now - tonumber(redis.call('HGET', PROVIDER(), 'first'))
  local opened = redis.call('HEXISTS', PROVIDER(), 'opened') == 1
  if not opened and (failures >= OPEN_AFTER_FAILURES or failing_ms >= OPEN_AFTER_MS) then open_breaker(now) end
end
return redis.call('HEXISTS', PROVIDER(), 'opened')
