-- Domains of a job that had ended are on its list again: they no longer count as ended, nor twice in its total.
--
-- ARGV  1 job   2 how many of them had failed   3 how many were done
-- Gives 1, or 0 if there is no such job here.
if redis.call('EXISTS', JOB(ARGV[1])) == 0 then return 0 end
redis.call('HDEL', JOB(ARGV[1]), 'asked')  -- they may link to addresses of the client that nobody has named before
redis.call('HINCRBY', JOB(ARGV[1]), 'failed', -tonumber(ARGV[2]))
redis.call('HINCRBY', JOB(ARGV[1]), 'done', -tonumber(ARGV[3]))
redis.call('HINCRBY', JOB(ARGV[1]), 'total', -tonumber(ARGV[2]) - tonumber(ARGV[3]))
return 1
