-- Opens domains that are on no list, of which some addresses are asked for once: the client's own. They count among none of the
-- job's domains, and their pages, which settle aside, among none of its pages. A site that may not be asked for long is left
-- out: no job lasts longer for it.
--
-- ARGV  1 job   then for each domain: JSON of domain, number, site, pages (of each: url, fingerprint, state as JSON)
-- Gives 1, or 0 if there is no such job here or it has asked before.
local WAIT_MOST_MS = 600000
local job = ARGV[1]
if redis.call('EXISTS', JOB(job)) == 0 or redis.call('HSETNX', JOB(job), 'asked', 1) == 0 then return 0 end
local now = clock()
for i = 2, #ARGV do
  local one = cjson.decode(ARGV[i])
  local blocked = tonumber(redis.call('HGET', SITE(one.site), 'blocked')) or 0
  if blocked - now <= WAIT_MOST_MS then
    redis.call('SADD', OPEN(job), one.domain)
    redis.call('HSET', DOMAIN(job, one.domain), 'site', one.site, 'home', '', 'opened', work_clock(job, now), 'number', one.number,
      'generation', 1, 'flying', 0, 'away', 0, 'fetched', 0, 'seq', 0, 'mode', 'all', 'unlisted', 1)
    redis.call('HINCRBY', JOB(job), 'asking', 1)
    for place, page in ipairs(one.pages) do
      redis.call('SADD', SEEN(job, one.domain), page.fingerprint)
      redis.call('HSET', STATE(job, one.domain), page.url, page.state)
      enqueue(job, one.domain, one.site, page.url, place, now)
    end
  end
end
return 1
