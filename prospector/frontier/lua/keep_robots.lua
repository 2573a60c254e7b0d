-- Keeps robots.txt of an authority for all workers and jobs.
--
-- ARGV  1 authority   2 robots.txt (codec of core/web/robots.py)   3 seconds
redis.call('SET', ROBOTS(ARGV[1]), ARGV[2], 'EX', ARGV[3])
return 1
