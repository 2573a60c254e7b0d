-- Queues the pages that were found on a page: each once, within the limits of the job. One seen before gains a link.
--
-- ARGV  1 lease of the page they were found on   2 pages the site says it has (0: unknown)
--       then for each page: url, fingerprint, state (JSON, or '' for a page that is new)
-- Gives {1, the positions (from 1) of the pages that were new ...}, or {0} if the lease is lost.
local hint = tonumber(ARGV[2])
local raw = redis.call('HGET', LEASES(), ARGV[1])
if not raw then return {0} end
local held = cjson.decode(raw)
local job, domain = held.job, held.domain
held.added = 1
redis.call('HSET', LEASES(), ARGV[1], cjson.encode(held))
local LINK = 2 ^ 32
local FRONT = -2 ^ 51  -- a sitemap says how large the site is before its pages are chosen
local now = clock()
local known = redis.call('HMGET', DOMAIN(job, domain), 'site', 'mode', 'hint', 'flying', 'away')
if not known[1] then return {0} end
local site = known[1]
local limits = redis.call('HMGET', JOB(job), 'threshold', 'max_queued')
local room = tonumber(limits[2]) - redis.call('ZCARD', QUEUE(job, domain)) - tonumber(known[4]) - tonumber(known[5])
local new, refused = {1}, 0

for i = 3, #ARGV, 3 do
  local url, fingerprint, state = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if redis.call('SISMEMBER', SEEN(job, domain), fingerprint) == 1 then
    redis.call('ZADD', QUEUE(job, domain), 'XX', 'INCR', -LINK, url)
  elseif room <= 0 then
    refused = refused + 1
  else
    room = room - 1
    redis.call('SADD', SEEN(job, domain), fingerprint)
    if state ~= '' then redis.call('HSET', STATE(job, domain), url, state) end
    local score = redis.call('HINCRBY', DOMAIN(job, domain), 'seq', 1)
    if string.find(state, '"k":"sitemap"', 1, true) then score = score + FRONT end
    redis.call('ZADD', QUEUE(job, domain), score, url)
    new[#new + 1] = i / 3
  end
end

if #new > 1 then
  redis.call('HINCRBY', JOB(job), 'queued', #new - 1)
  redis.call('ZADD', SITE_DOMAINS(site, job), 'NX', last_in_turn(), domain)
  redis.call('ZADD', SITE_JOBS(site), 'NX', last_in_turn(), job)
  ready_site(site, now)
end
if refused > 0 then redis.call('HINCRBY', DOMAIN(job, domain), 'refused', refused) end
if hint > (tonumber(known[3]) or 0) then redis.call('HSET', DOMAIN(job, domain), 'hint', hint) end
if known[2] == 'all' then
  local size = math.max(redis.call('SCARD', SEEN(job, domain)), hint, tonumber(known[3]) or 0)
  if size > tonumber(limits[1]) then redis.call('HSET', DOMAIN(job, domain), 'mode', 'top') end
end
return new
