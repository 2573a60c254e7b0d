-- Puts a page into its domain's queue and makes sure that its site is found. A smaller score is fetched earlier.
local function enqueue(job, domain, site, url, score, now)
  redis.call('ZADD', QUEUE(job, domain), score, url)
  redis.call('ZADD', SITE_DOMAINS(site, job), 'NX', last_in_turn(), domain)
  redis.call('ZADD', SITE_JOBS(site), 'NX', last_in_turn(), job)
  ready_site(site, now)
end
