-- An operator asks for a dead letter again: once, with a clean slate.
--
-- ARGV  1 entry of the page
-- Gives 1, or 0 if it is no dead letter or its domain is closed.
local now = clock()
local job, domain, url = parts(ARGV[1])
if redis.call('HGET', STATE(job, domain), url) ~= '"dead"' then return 0 end
redis.call('HDEL', DEAD(), ARGV[1])
redis.call('HINCRBY', DOMAIN(job, domain), 'dead', -1)
redis.call('HINCRBY', JOB(job), 'dead', -1)
redis.call('HDEL', STATE(job, domain), url)
redis.call('ZREM', FINISHING(), job .. '\31' .. domain)
redis.call('HINCRBY', DOMAIN(job, domain), 'away', 1)
if redis.call('HGET', DOMAIN(job, domain), 'home') == url then
  redis.call('HINCRBY', JOB(job), 'homes', -redis.call('HDEL', DOMAIN(job, domain), 'home_over'))
end
bring_back(job, domain, url, now)
return 1
