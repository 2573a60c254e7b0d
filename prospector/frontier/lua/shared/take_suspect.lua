-- Grants a suspect page alone, if its site may be asked now and its method is affordable.
local function take_suspect(one, job, domain, url, site, worker, rules, now)
  local known = redis.call('HMGET', SITE(site), 'lease', 'next', 'blocked', 'delay')
  local delay_ms = math.max(tonumber(known[4]) or 0, rules.delay_ms)
  local at = math.max(tonumber(known[2]) or 0, tonumber(known[3]) or 0, rules.boot + delay_ms)
  if known[1] or at > now then return nil end
  local limit = limit_reached(job, domain, site, now)
  if limit == 'full' then return nil end
  redis.call('ZREM', SUSPECTS(), one)
  redis.call('HINCRBY', DOMAIN(job, domain), 'away', -1)
  if limit == 'past' then
    note_if_empty(job, domain, now)
    return nil
  end
  local state = read_state(job, domain, url, redis.call('HGET', STATE(job, domain), url), rules, now)
  if not state then return nil end
  state.m = method_of(job, domain, state, rules)
  if not affordable(job, domain, url, state, rules, now) then return nil end
  rules.alone = true
  wake(job, domain, now)
  return grant(site, job, domain, url, state, worker, rules, delay_ms, now)
end
