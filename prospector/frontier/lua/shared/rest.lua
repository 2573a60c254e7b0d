-- A domain whose pages are all away (parked, in line, later) keeps nobody busy: another may be opened, and its time stands.
local function rest(job, domain, now)
  if redis.call('HEXISTS', DOMAIN(job, domain), 'stalled') == 1 then return end
  if redis.call('HSETNX', DOMAIN(job, domain), 'idle', work_clock(job, now)) == 1 then
    redis.call('HINCRBY', JOB(job), 'idle', 1)
  end
end
