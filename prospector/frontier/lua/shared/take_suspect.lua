-- Grants a suspect page alone, of a site that may be asked now, if its address may and its method is affordable.
local function take_suspect(one, job, domain, url, site, worker, rules, delay_ms, now)
  local limit = limit_reached(job, domain, site, now)
  if limit == 'full' then return nil end
  if address_slot(site, redis.call('HGET', SITE(site), 'address'), now) > now then return nil end
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
