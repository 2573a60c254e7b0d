-- Grants one page of a site that seems due, as a ticket (JSON), or puts the site where it belongs and returns nil.
local AGAIN_MS = 1000
local function take_site(site, worker, rules, now)
  local delay_ms, at = site_due(site, rules, now)
  if at and at <= now then at = address_slot(site, redis.call('HGET', SITE(site), 'address'), now) end
  if not at or at > now then
    for _, job in ipairs(redis.call('ZRANGE', SITE_JOBS(site), 0, -1)) do
      if at then redis.call('ZADD', READY(job), at, site) else redis.call('ZREM', READY(job), site) end
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
