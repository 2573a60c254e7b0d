-- The delay of a site that may be asked now; nil where one asks it, or its moment has not come.
local function site_due(site, rules, now)
  local known = redis.call('HMGET', SITE(site), 'lease', 'next', 'blocked', 'delay')
  local delay_ms = math.max(tonumber(known[4]) or 0, rules.delay_ms)
  local at = math.max(tonumber(known[2]) or 0, tonumber(known[3]) or 0, rules.boot + delay_ms)
  if known[1] or at > now then return nil end
  return delay_ms
end
