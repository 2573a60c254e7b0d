-- Grants one page of a site that seems due, as a ticket (JSON), or puts the site where it belongs and returns nil.
local AGAIN_MS = 1000
local function take_site(site, worker, rules, now)
  local known = redis.call('HMGET', SITE(site), 'lease', 'next', 'blocked', 'delay', 'address')
  local delay_ms = math.max(tonumber(known[4]) or 0, rules.delay_ms)
  local at = math.max(tonumber(known[2]) or 0, tonumber(known[3]) or 0, rules.boot + delay_ms)
  if not known[1] and at <= now then at = address_slot(site, known[5], now) end
  if known[1] or at > now then
    for _, job in ipairs(redis.call('ZRANGE', SITE_JOBS(site), 0, -1)) do
      if known[1] then redis.call('ZREM', READY(job), site) else redis.call('ZADD', READY(job), at, site) end
    end
    return nil
  end
  for _, job in ipairs(redis.call('ZRANGE', SITE_JOBS(site), 0, -1)) do
    if redis.call('ZSCORE', RUNNING(), job) then
      local domain, url, state = next_page(site, job, rules, now)
      if url then
        redis.call('ZADD', SITE_JOBS(site), 'XX', turn(), job)
        return grant(site, job, domain, url, state, worker, rules, delay_ms, now)
      end
    end
  end
  -- nothing of a running job may go: the site comes back with its next page, or soon if there was too much to look at
  for _, job in ipairs(redis.call('ZRANGE', SITE_JOBS(site), 0, -1)) do
    if redis.call('ZSCORE', RUNNING(), job) then redis.call('ZADD', READY(job), now + AGAIN_MS, site) end
  end
  return nil
end
