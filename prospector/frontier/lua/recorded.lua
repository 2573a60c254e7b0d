-- The record has these dead letters.
--
-- ARGV  entries
return redis.call('HDEL', DEAD(), unpack(ARGV))
