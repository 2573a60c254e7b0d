local function park(job, domain, url, reason, place)
  redis.call('ZADD', PARKED(job, reason), place, entry(job, domain, url))
  redis.call('HINCRBY', DOMAIN(job, domain), 'away', 1)
  if redis.call('HINCRBY', DOMAIN(job, domain), 'parked', 1) == 1 then redis.call('HINCRBY', JOB(job), 'parked', 1) end
end
