-- What the record counts of a job that Redis has lost: once, before it is lifted.
--
-- ARGV  1 job   2 domains done   3 failed   4 pages   5 mentions   6 dead letters   7 pages failed
-- Gives 1, or 0 if that was done before.
local job = ARGV[1]
if redis.call('HSETNX', JOB(job), 'recounted', 1) == 0 then return 0 end
local ended = tonumber(ARGV[2]) + tonumber(ARGV[3])
redis.call('HINCRBY', JOB(job), 'total', ended)
redis.call('HINCRBY', JOB(job), 'homes', ended)
for place, name in ipairs({'done', 'failed', 'pages', 'mentions', 'dead', 'unread'}) do
  redis.call('HINCRBY', JOB(job), name, ARGV[place + 1])
end
return 1
