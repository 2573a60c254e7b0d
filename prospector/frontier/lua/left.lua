-- The domains that a job has left, by number: to see which ones of the record are missing. It reads the whole list, so it
-- is asked for only where the counts do not agree.
--
-- ARGV  1 job
-- Gives the numbers.
local job = ARGV[1]
local numbers = {}
for _, raw in ipairs(redis.call('LRANGE', WAITING(job), 0, -1)) do
  numbers[#numbers + 1] = tonumber(string.match(raw, '"number":(%d+)'))
end
for _, domain in ipairs(redis.call('SMEMBERS', OPEN(job))) do
  numbers[#numbers + 1] = tonumber(redis.call('HGET', DOMAIN(job, domain), 'number'))
end
return numbers
