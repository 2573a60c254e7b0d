-- Opens the job's next waiting domain, its homepage queued, unless enough are open. True if one was opened.
-- Domains stalled by a far Retry-After, and those whose pages are all away, do not count: they keep nobody busy. A job that
-- pays for every page opens no more while enough homepages stand in line; its other pages may wait there for those.
local LINE_MOST = 200
local HOME = -2 ^ 52
local function open_domain(job, most, now)
  local known = redis.call('HMGET', JOB(job), 'idle', 'method')
  local busy = redis.call('SCARD', OPEN(job)) - redis.call('ZCARD', STALLED(job)) - (tonumber(known[1]) or 0)
  if busy >= most then return false end
  if (known[2] or 'direct') ~= 'direct' and homes_among(PAID(job)) >= LINE_MOST then return false end
  local raw = redis.call('ZPOPMIN', WAITING(job))[1]
  if not raw then return false end
  local one = cjson.decode(raw)
  forget_domain(job, one.domain)  -- an older generation, of which nobody has closed what is left here
  redis.call('SADD', OPEN(job), one.domain)
  redis.call('HSET', DOMAIN(job, one.domain), 'site', one.site, 'home', one.url, 'opened', work_clock(job, now), 'number', one.number, 'generation', one.generation,
    'flying', 0, 'away', 0, 'fetched', 0, 'seq', 0, 'mode', 'all')
  redis.call('SADD', SEEN(job, one.domain), one.fingerprint)
  enqueue(job, one.domain, one.site, one.url, HOME, now)
  redis.call('HINCRBY', JOB(job), 'waiting', -1)
  redis.call('HINCRBY', JOB(job), 'open', 1)
  return true
end
