-- All that the record has of a job is here. Until then it is filled again, by anybody.
--
-- ARGV  1 job
return redis.call('HSET', JOB(ARGV[1]), 'filled', 1)
