-- Puts a page into its domain's queue and makes sure that its site is found. A smaller score is fetched earlier.
local function enqueue(job, domain, site, url, score, now)
  if redis.call('ZADD', QUEUE(job, domain), score, url) == 1 then redis.call('HINCRBY', JOB(job), 'queued', 1) end
  redis.call('ZADD', SITE_DOMAINS(site, job), 'NX', last_in_turn(), domain)
  redis.call('ZADD', SITE_JOBS(site), 'NX', last_in_turn(), job)
  ready_site(site, now)
end
