-- Puts back an open domain from the record, after Redis has lost it. Done twice, the second changes nothing.
--
-- ARGV  1 job   2 domain (JSON: domain, number, site, url, generation)   3 ms it has been open   4 what is known of it (JSON: name -> value)
--       5 number of fingerprints   then the fingerprints seen, then for each page to queue: url, state (JSON or '')
-- Gives 1, or 0 if it is here.
local job, one = ARGV[1], cjson.decode(ARGV[2])
local domain, site = one.domain, one.site
local now = clock()
if redis.call('EXISTS', DOMAIN(job, domain)) == 1 then return 0 end
local fingerprints = tonumber(ARGV[5])
redis.call('SADD', OPEN(job), domain)
redis.call('HSET', DOMAIN(job, domain), 'site', site, 'home', one.url, 'opened', work_clock(job, now) - tonumber(ARGV[3]),
  'number', one.number, 'generation', one.generation, 'flying', 0, 'away', 0, 'fetched', 0, 'seq', 0, 'mode', 'all')
for name, value in pairs(cjson.decode(ARGV[4])) do redis.call('HSET', DOMAIN(job, domain), name, value) end
for i = 6, 5 + fingerprints do redis.call('SADD', SEEN(job, domain), ARGV[i]) end
for i = 6 + fingerprints, #ARGV, 2 do
  local score = redis.call('HINCRBY', DOMAIN(job, domain), 'seq', 1)
  if ARGV[i + 1] ~= '' then redis.call('HSET', STATE(job, domain), ARGV[i], ARGV[i + 1]) end
  if string.find(ARGV[i + 1], '"k":"sitemap"', 1, true) then score = score - 2 ^ 51 end
  enqueue(job, domain, site, ARGV[i], score, now)
end
if redis.call('SCARD', SEEN(job, domain)) > tonumber(redis.call('HGET', JOB(job), 'threshold')) then
  redis.call('HSET', DOMAIN(job, domain), 'mode', 'top')
end
redis.call('HINCRBY', JOB(job), 'total', 1)
redis.call('HINCRBY', JOB(job), 'open', 1)
home_over(job, domain)
note_if_empty(job, domain, now)
return 1
