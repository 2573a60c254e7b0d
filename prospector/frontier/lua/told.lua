-- Up to which event of the record somebody has been told, so that each is told once whoever leads.
--
-- ARGV  1 newest event told now (0: only asks)
-- Gives the newest one told before, or -1 if none ever was.
local before = redis.call('HGET', META(), 'told')
if tonumber(ARGV[1]) > (tonumber(before) or -1) then redis.call('HSET', META(), 'told', ARGV[1]) end
return tonumber(before) or -1
