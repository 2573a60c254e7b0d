-- Is there work for a worker now or soon? A job whose pages all wait for longer, or are parked, needs none meanwhile.
--
-- ARGV  1 how soon, ms
-- Gives 1 or 0.
local soon = clock() + tonumber(ARGV[1])
for _, job in ipairs(redis.call('ZRANGE', RUNNING(), 0, -1)) do
  local known = redis.call('HMGET', JOB(job), 'waiting', 'flying')
  if (tonumber(known[1]) or 0) > 0 or (tonumber(known[2]) or 0) > 0 then return 1 end
  local first = redis.call('ZRANGE', READY(job), 0, 0, 'WITHSCORES')
  if first[2] and tonumber(first[2]) <= soon then return 1 end
  if redis.call('ZSCORE', PAID_WAITING(), job) or redis.call('EXISTS', LIFTED(job), PARKED(job, 'provider')) > 0 then return 1 end
end
for _, page in ipairs(redis.call('ZRANGE', LATER(), '-inf', soon, 'BYSCORE', 'LIMIT', 0, 100)) do
  if redis.call('ZSCORE', RUNNING(), (parts(page))) then return 1 end
end
for _, page in ipairs(redis.call('ZRANGE', SUSPECTS(), 0, 99)) do
  if redis.call('ZSCORE', RUNNING(), (parts(page))) then return 1 end
end
return 0
