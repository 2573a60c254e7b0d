-- The fetch under a lease is over: the site's delay counts from its end, longer where it was slow, failed or asked for it.
--
-- ARGV  1 lease   2 latency_ms   3 'fine', 'strained' (429, 503, time-out, reset, refusal) or 'unsent' (nothing was asked)
--       4 retry_after_ms (0: none)   5 crawl_delay_ms (0: none)   6 least delay_ms   7 most delay_ms
--       8 how long ago it was over, ms: a busy worker tells it late, and the site need not wait for that
-- Gives the new delay_ms and the moment the site is blocked until (0: not), or nothing if the lease is lost or freed.
local lease, latency_ms, how = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local FORGIVEN_MS = 600000  -- a strike is forgotten after ten minutes without another
local now = clock()
local raw = redis.call('HGET', LEASES(), lease)
if not raw then return {} end
local held = cjson.decode(raw)
local site = held.site
local known = redis.call('HMGET', SITE(site), 'lease', 'delay', 'strikes', 'struck', 'next')
if known[1] ~= lease then return {} end
if how == 'unsent' then
  local next_at = known[5]
  free_site(site, lease, now)
  if next_at then redis.call('HSET', SITE(site), 'next', next_at) else redis.call('HDEL', SITE(site), 'next') end
  ready_site(site, now)
  return {known[2], 0}
end

local delay_ms, least, most = tonumber(known[2]), math.max(tonumber(ARGV[6]), tonumber(ARGV[5])), tonumber(ARGV[7])
local strikes = math.max(0, (tonumber(known[3]) or 0) - math.floor((now - (tonumber(known[4]) or now)) / FORGIVEN_MS))
local follows = math.max((delay_ms + latency_ms) / 2, latency_ms)  -- AutoThrottle's rule at one request at a time
if how == 'strained' then
  strikes = strikes + 1
  follows = math.max(follows, delay_ms, least * 2 ^ math.min(strikes, 6))  -- a failure never shortens a delay
  redis.call('HSET', SITE(site), 'struck', now)
end
delay_ms = math.max(least, math.min(most, math.ceil(follows)))
redis.call('HSET', SITE(site), 'delay', delay_ms, 'strikes', strikes)
local blocked = 0
if tonumber(ARGV[4]) > 0 then
  blocked = now + tonumber(ARGV[4])
  redis.call('HSET', SITE(site), 'blocked', blocked)
  stall(held, tonumber(ARGV[4]), now)
end
free_site(site, lease, now, now - tonumber(ARGV[8]))
return {delay_ms, blocked}
