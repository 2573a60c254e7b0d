-- Takes the domain, and then the job, off the site's lists when nothing of theirs is queued there any more.
local function leave_queue(job, domain, site)
  if redis.call('EXISTS', QUEUE(job, domain)) == 1 then return end
  redis.call('ZREM', SITE_DOMAINS(site, job), domain)
  if redis.call('EXISTS', SITE_DOMAINS(site, job)) == 0 then
    redis.call('ZREM', SITE_JOBS(site), job)
    redis.call('ZREM', READY(job), site)
  end
end
