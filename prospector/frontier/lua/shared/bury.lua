-- A page that is handed out no more until an operator asks for it again.
local function bury(job, domain, url, reason, attempts, now)
  local of = redis.call('HMGET', DOMAIN(job, domain), 'number', 'generation', 'home')
  redis.call('HSET', DEAD(), entry(job, domain, url),
    cjson.encode({reason = reason, attempts = attempts, at = now, number = of[1], generation = of[2]}))
  redis.call('HSET', STATE(job, domain), url, '"dead"')
  redis.call('HINCRBY', DOMAIN(job, domain), 'dead', 1)
  redis.call('HINCRBY', JOB(job), 'dead', 1)
  if of[3] == url then home_over(job, domain) end
  note_if_empty(job, domain, now)
end
