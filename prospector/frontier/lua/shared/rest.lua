-- A domain whose pages are all away (parked, in line, later) keeps nobody busy: another may be opened, and its time stands.
local function rest(job, domain, now)
  if redis.call('ZSCORE', STALLED(job), domain) then return end
  if redis.call('HSETNX', DOMAIN(job, domain), 'idle', work_clock(job, now)) == 1 then
    redis.call('HINCRBY', JOB(job), 'idle', 1)
  end
end
