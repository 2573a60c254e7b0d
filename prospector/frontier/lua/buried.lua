-- Dead letters that are not in the record yet.
--
-- ARGV  1 most
-- Gives entry and JSON (reason, attempts, at, number, generation) of each, one after the other.
return redis.call('HRANDFIELD', DEAD(), tonumber(ARGV[1]), 'WITHVALUES')
