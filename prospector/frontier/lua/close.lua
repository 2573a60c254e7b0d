-- The final row of a domain is written: all that Redis knows of it may go.
--
-- ARGV  1 job   2 domain   3 generation   4 'done' or 'failed'
-- Gives {1, domains the job has left} or {0, ...} if this generation is closed already or has work again.
local job, domain = ARGV[1], ARGV[2]
local now = clock()
local one = job .. '\31' .. domain
local left = redis.call('HMGET', JOB(job), 'waiting', 'open')
left = (tonumber(left[1]) or 0) + (tonumber(left[2]) or 0)
if redis.call('HGET', DOMAIN(job, domain), 'generation') ~= ARGV[3] or not redis.call('ZSCORE', FINISHING(), one) then
  return {0, left}
end
local unlisted = redis.call('HEXISTS', DOMAIN(job, domain), 'unlisted') == 1
if not unlisted then home_over(job, domain) end  -- its time was over before it was read
forget_domain(job, domain)
if unlisted then return {1, left} end
redis.call('HINCRBY', JOB(job), ARGV[4], 1)
count(job, 'domains', now)
return {1, left - 1}
