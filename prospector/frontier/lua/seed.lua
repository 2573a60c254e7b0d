-- Puts domains on a job's list of those to open, in the order of their numbers. One that is there, or open, stays as it is.
--
-- ARGV  1 job   then for each domain: JSON of domain, number, site, url and fingerprint of the homepage, generation
-- Gives how many were new.
local job, count = ARGV[1], 0
for i = 2, #ARGV do
  local one = cjson.decode(ARGV[i])
  if redis.call('HGET', DOMAIN(job, one.domain), 'generation') ~= tostring(one.generation) then
    count = count + redis.call('ZADD', WAITING(job), 'NX', one.number, ARGV[i])
  end
end
redis.call('HINCRBY', JOB(job), 'total', count)
redis.call('HINCRBY', JOB(job), 'waiting', count)
return count
