-- The page waits until it is called: it could be paid for, but not now.
local function join_line(job, domain, url, place)
  redis.call('HINCRBY', DOMAIN(job, domain), 'away', 1)
  redis.call('ZADD', PAID(job), place, entry(job, domain, url))
  redis.call('ZADD', PAID_WAITING(), 'NX', last_in_turn(), job)
end
