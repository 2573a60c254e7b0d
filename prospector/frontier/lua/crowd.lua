-- Whether new jobs have to wait: those that run find pages faster than they are fetched.
--
-- ARGV  1 why, in words ('': no longer)   2 ms until it is forgotten, should nobody say it again
-- Gives 1.
if ARGV[1] == '' then redis.call('DEL', CROWDED()) else redis.call('SET', CROWDED(), ARGV[1], 'PX', ARGV[2]) end
return 1
