-- Corrects a job's counters by what the record knows: of domains finished before this Redis knew the job, or queued again.
--
-- ARGV  1 job   then what to add (or, negative, to take off): 2 done   3 failed   4 pages   5 mentions
-- Gives 1, or 0 if there is no such job here.
if redis.call('EXISTS', JOB(ARGV[1])) == 0 then return 0 end
for place, name in ipairs({'done', 'failed', 'pages', 'mentions'}) do
  redis.call('HINCRBY', JOB(ARGV[1]), name, ARGV[place + 1])
end
redis.call('HINCRBY', JOB(ARGV[1]), 'total', tonumber(ARGV[2]) + tonumber(ARGV[3]))
return 1
