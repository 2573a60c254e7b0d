-- Puts domains at the end of a job's list of those to open.
--
-- ARGV  1 job   then for each domain: JSON of domain, number, site, url and fingerprint of the homepage, generation
local count = #ARGV - 1
redis.call('RPUSH', WAITING(ARGV[1]), unpack(ARGV, 2))
redis.call('HINCRBY', JOB(ARGV[1]), 'total', count)
redis.call('HINCRBY', JOB(ARGV[1]), 'waiting', count)
return count
