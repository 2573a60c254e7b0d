-- Puts a site with nothing in flight where each job with work on it finds it, at the moment it may be asked.
local function ready_site(site, now)
  local known = redis.call('HMGET', SITE(site), 'next', 'blocked', 'lease', 'slot')
  if known[3] then return end
  local at = math.max(tonumber(known[1]) or now, tonumber(known[2]) or 0, tonumber(known[4]) or 0)
  for _, job in ipairs(redis.call('ZRANGE', SITE_JOBS(site), 0, -1)) do
    redis.call('ZADD', READY(job), at, site)
  end
end
