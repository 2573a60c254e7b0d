-- Puts back an open domain from the record, after Redis has lost it. Done twice, the second changes nothing.
--
-- ARGV  1 job   2 domain   3 site   4 number   5 generation   6 pages fetched   7 ms since it was opened
--       8 number of fingerprints
--       then the fingerprints seen, then urls to queue
local job, domain, site = ARGV[1], ARGV[2], ARGV[3]
local now = clock()
if redis.call('EXISTS', DOMAIN(job, domain)) == 1 then return 0 end
local fingerprints = tonumber(ARGV[8])
redis.call('SADD', OPEN(job), domain)
redis.call('HSET', DOMAIN(job, domain), 'site', site, 'opened', work_clock(job, now) - tonumber(ARGV[7]), 'number', ARGV[4], 'generation', ARGV[5],
  'flying', 0, 'away', 0, 'fetched', ARGV[6], 'seq', 0, 'mode', 'all')
for i = 9, 8 + fingerprints do redis.call('SADD', SEEN(job, domain), ARGV[i]) end
for i = 9 + fingerprints, #ARGV do
  enqueue(job, domain, site, ARGV[i], redis.call('HINCRBY', DOMAIN(job, domain), 'seq', 1), now)
end
if redis.call('SCARD', SEEN(job, domain)) > tonumber(redis.call('HGET', JOB(job), 'threshold')) then
  redis.call('HSET', DOMAIN(job, domain), 'mode', 'top')
end
redis.call('HINCRBY', JOB(job), 'total', 1)
redis.call('HINCRBY', JOB(job), 'open', 1)
if tonumber(ARGV[6]) > 0 then redis.call('HINCRBY', JOB(job), 'homes', 1) end
note_if_empty(job, domain, now)
return 1
