-- The fetch under this lease is over, since `ended_at` or now: the site may be asked again after its delay. Nothing happens
-- a second time.
local SITE_MEMORY_MS = 3600000
local function free_site(site, lease, now, ended_at)
  local known = redis.call('HMGET', SITE(site), 'lease', 'delay', 'blocked', 'address')
  if known[1] ~= lease then return end
  redis.call('HDEL', SITE(site), 'lease', 'slot')
  redis.call('HSET', SITE(site), 'next', (ended_at or now) + 1 + tonumber(known[2]))  -- now was rounded down
  if known[4] then redis.call('HINCRBY', ADDRESS(known[4]), 'flying', -1) end
  local blocked_ms = math.max(0, (tonumber(known[3]) or 0) - now)
  redis.call('PEXPIRE', SITE(site), SITE_MEMORY_MS + blocked_ms + tonumber(known[2]))
  ready_site(site, now)
end
