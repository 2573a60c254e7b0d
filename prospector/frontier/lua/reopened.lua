-- Failed domains of a job are on its list again: they no longer count as failed, nor twice in its total.
--
-- ARGV  1 job   2 how many
-- Gives 1, or 0 if there is no such job here.
if redis.call('EXISTS', JOB(ARGV[1])) == 0 then return 0 end
redis.call('HINCRBY', JOB(ARGV[1]), 'failed', -tonumber(ARGV[2]))
redis.call('HINCRBY', JOB(ARGV[1]), 'total', -tonumber(ARGV[2]))
return 1
