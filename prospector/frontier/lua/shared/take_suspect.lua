-- Grants a suspect page of a site that may be asked now alone, if its method is affordable.
local function take_suspect(one, job, domain, url, site, worker, rules, delay_ms, now)
  redis.call('ZREM', SUSPECTS(), one)
  redis.call('HINCRBY', DOMAIN(job, domain), 'away', -1)
  local state = read_state(job, domain, url, redis.call('HGET', STATE(job, domain), url), rules, now)
  if not state then return nil end
  state.m = method_of(job, domain, state, rules)
  if not affordable(job, domain, url, state, rules, now) then return nil end
  rules.alone = true
  wake(job, domain, now)
  return grant(site, job, domain, url, state, worker, rules, delay_ms, now)
end
