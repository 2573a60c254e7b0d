-- Running jobs whose money is to be read from the record before anything more is paid for them: Redis was started since.
--
-- Gives their names.
local boots = redis.call('HGET', META(), 'boots') or '0'
local found = {}
for _, job in ipairs(redis.call('ZRANGE', RUNNING(), 0, -1)) do
  if redis.call('HGET', JOB(job), 'balanced') ~= boots then found[#found + 1] = job end
end
return found
