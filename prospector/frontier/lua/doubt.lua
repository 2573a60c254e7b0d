-- A job's money is to be read from the record before anything more is paid for: what comes of that reading is `balance`d under
-- the sign that is given here.
--
-- ARGV  1 job
-- Gives the sign, or 0 if there is no such job here.
local job = ARGV[1]
if redis.call('EXISTS', JOB(job)) == 0 then return 0 end
local sign = -turn()  -- a start of the server is counted upwards from 0
redis.call('HSET', JOB(job), 'balanced', sign)
return sign
