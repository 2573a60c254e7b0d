-- What Redis has lost, or never had.
--
-- ARGV  jobs that the record has as under way
-- Gives {1 if there is a frontier here, number of jobs to fill, these jobs ..., jobs that are filled and were never lifted ...}
local unfilled, unlifted = {}, {}
for i = 1, #ARGV do
  local known = redis.call('HMGET', JOB(ARGV[i]), 'filled', 'state', 'held_at')
  if not known[1] then unfilled[#unfilled + 1] = ARGV[i]
  elseif known[2] == 'held' and not known[3] then unlifted[#unlifted + 1] = ARGV[i] end
end
local count = #unfilled
for _, job in ipairs(unlifted) do unfilled[#unfilled + 1] = job end
return {redis.call('HEXISTS', META(), 'epoch'), count, unpack(unfilled)}
