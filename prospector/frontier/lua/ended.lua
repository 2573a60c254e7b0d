-- Domains that have nothing left, with their counters, for the one who asks to write their final rows and close them.
-- They are not told to another for a while, in case this one dies.
--
-- ARGV  1 most   2 for how long, ms
-- Gives for each: job, domain, then the domain's hash as a flat list, with the delay_ms its site had in the end.
local now = clock()
local told = {}
for _, one in ipairs(redis.call('ZRANGE', FINISHING(), '-inf', now, 'BYSCORE', 'LIMIT', 0, tonumber(ARGV[1]))) do
  local job, domain = string.match(one, '^([^\31]*)\31(.*)$')
  if redis.call('EXISTS', DOMAIN(job, domain)) == 0 then
    redis.call('ZREM', FINISHING(), one)
  else
    redis.call('ZADD', FINISHING(), now + tonumber(ARGV[2]), one)
    local counters = redis.call('HGETALL', DOMAIN(job, domain))
    local delay = redis.call('HGET', SITE(redis.call('HGET', DOMAIN(job, domain), 'site')), 'delay')
    if delay then
      counters[#counters + 1] = 'delay_ms'
      counters[#counters + 1] = delay
    end
    told[#told + 1] = {job, domain, counters}
  end
end
return told
