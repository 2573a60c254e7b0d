-- How many paid requests the account allows in flight, as it says itself. It holds for a while: it must be said again.
--
-- ARGV  1 most   2 for how long, ms
redis.call('HSET', PROVIDER(), 'most', ARGV[1], 'most_until', clock() + tonumber(ARGV[2]))
return 1
