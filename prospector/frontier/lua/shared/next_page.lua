-- The domain, url and state (or nil) of the job's next page on a site, taken off its queue; nothing where none may go now.
-- A domain that is full waits, behind the others of its site, until one of its pages is settled.
local TRIES = 50
local function next_page(site, job, rules, now)
  local full = {}
  for _ = 1, TRIES do
    local domain = redis.call('ZRANGE', SITE_DOMAINS(site, job), 0, 0)[1]
    if not domain or full[domain] then return nil end
    local limit = limit_reached(job, domain, site, now)
    if limit == 'full' then
      full[domain] = true
      redis.call('ZADD', SITE_DOMAINS(site, job), 'XX', turn(), domain)
    elseif not limit then
      local url = redis.call('ZRANGE', QUEUE(job, domain), 0, 0)[1]
      if url then
        redis.call('ZADD', SITE_DOMAINS(site, job), 'XX', turn(), domain)
        local raw = redis.call('HGET', STATE(job, domain), url)
        redis.call('ZREM', QUEUE(job, domain), url)
        redis.call('HINCRBY', JOB(job), 'queued', -1)
        leave_queue(job, domain, site)
        local state = read_state(job, domain, url, raw, rules, now)
        if state then
          state.m = method_of(job, domain, state, rules)
          if affordable(job, domain, url, state, rules, now) then return domain, url, state end
        end
      else
        leave_queue(job, domain, site)
      end
    end
  end
  return nil
end
