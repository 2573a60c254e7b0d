-- The delay of a site, and the moment it may be asked; no moment where one asks it now.
local function site_due(site, rules, now)
  local known = redis.call('HMGET', SITE(site), 'lease', 'next', 'blocked', 'delay', 'slot')
  local delay_ms = math.max(tonumber(known[4]) or 0, rules.delay_ms)
  if known[1] then return delay_ms, nil end
  return delay_ms, math.max(tonumber(known[2]) or 0, tonumber(known[3]) or 0, tonumber(known[5]) or 0, rules.boot + delay_ms)
end
