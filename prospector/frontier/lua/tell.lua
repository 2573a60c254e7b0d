-- Events of the record are told now, each once whoever leads. Only the newest are remembered, but those one by one: ids are
-- not committed in their order.
--
-- ARGV  1 how many are remembered   then events
-- Gives how many of them nobody had been told.
local new = 0
for i = 2, #ARGV do new = new + redis.call('ZADD', TOLD(), 'NX', ARGV[i], ARGV[i]) end
redis.call('ZREMRANGEBYRANK', TOLD(), 0, -tonumber(ARGV[1]) - 1)
return new
