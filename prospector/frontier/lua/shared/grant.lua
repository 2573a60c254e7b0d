-- Makes the lease of a page and returns its ticket (JSON).
local function grant(site, job, domain, url, state, worker, rules, delay_ms, now)
  local lease = rules.epoch .. '.' .. rules.run .. '.' .. redis.call('HINCRBY', META(), 'leases', 1)
  local method = state.m or 'direct'
  local held = {
    job = job, domain = domain, site = site, url = url, worker = worker, method = method,
    price = rules.prices[method] or 0, at = now, alone = rules.alone,
  }
  if held.price > 0 then
    redis.call('ZADD', PAID_FLYING(), '+inf', lease)  -- it leaves once it is confirmed
    held.home = redis.call('HGET', DOMAIN(job, domain), 'home') == url or nil
  end
  redis.call('HSET', LEASES(), lease, cjson.encode(held))
  redis.call('SADD', HANDS(worker), lease)
  redis.call('HSET', SITE(site), 'lease', lease, 'delay', delay_ms)
  redis.call('PERSIST', SITE(site))
  local address = redis.call('HGET', SITE(site), 'address')
  if address then redis.call('HINCRBY', ADDRESS(address), 'flying', 1) end
  redis.call('HINCRBY', DOMAIN(job, domain), 'flying', 1)
  redis.call('HINCRBY', JOB(job), 'flying', 1)
  redis.call('ZREM', STALLED(job), domain)
  for _, other in ipairs(redis.call('ZRANGE', SITE_JOBS(site), 0, -1)) do redis.call('ZREM', READY(other), site) end
  redis.call('ZREM', READY(job), site)
  local of = redis.call('HMGET', DOMAIN(job, domain), 'number', 'generation', 'memory', 'done', 'unlisted')
  return cjson.encode({
    lease = lease, job = job, domain = domain, number = of[1], generation = of[2], site = site, url = url,
    state = state, price = held.price, memory = of[3] or nil, opening = not (of[4] or of[5]),
  })
end
