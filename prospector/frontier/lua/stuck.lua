-- Is nothing left of a job but pages that an operator has to let go on? Those that wait for the provider go on by themselves.
--
-- ARGV  1 job
-- Gives the reason that most of its parked pages have, or ''.
local job = ARGV[1]
local known = redis.call('HMGET', JOB(job), 'waiting', 'flying', 'open', 'idle')
if tonumber(known[1] or 1) > 0 or tonumber(known[2]) > 0 or known[3] == '0' or known[3] ~= known[4] then return '' end
if redis.call('EXISTS', PAID(job), LIFTED(job), PARKED(job, 'provider')) > 0 then return '' end
for _, domain in ipairs(redis.call('SMEMBERS', OPEN(job))) do
  local pages = redis.call('HMGET', DOMAIN(job, domain), 'away', 'parked')
  if pages[1] ~= pages[2] then return '' end  -- some of them come back later by themselves
end
local reason, most = '', 0
for _, one in ipairs({'budget', 'key', 'credits'}) do
  local count = redis.call('ZCARD', PARKED(job, one))
  if count > most then reason, most = one, count end
end
return reason
