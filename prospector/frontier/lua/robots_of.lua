-- What is known of robots.txt of each authority.
--
-- ARGV  authorities
-- Gives for each its robots.txt as kept (codec of core/web/robots.py), or false.
local known = {}
for i = 1, #ARGV do known[i] = redis.call('GET', ROBOTS(ARGV[i])) end
return known
