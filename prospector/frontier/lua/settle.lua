-- Ends a lease. Counts once: a lease that was lost changes nothing.
--
-- ARGV  1 lease   2 verdict   3 mentions: keywords found on the page   4 state for 'again' and 'park' (JSON, '' leaves it)
--       5 wait_ms for 'again'   6 reason for 'park'
--       7 what the domain's final row shall know (JSON: name -> value, '+name' -> number to add, '' none)
--       8 '1' where what was found on the page has been added before: a server that was killed may have forgotten that, and not the
--       lease; then the page is fetched again
--       verdicts: 'done' and 'failed' count as pages fetched; 'aside' is done without counting (robots, sitemap, a hop);
--       'again' queues it anew, 'park' until a lift, 'unsent' as it was, for nothing was asked
-- Gives 1, or 0 if the lease is lost. A paid lease that was not charged before stays booked at its full price.
local lease, verdict, mentions = ARGV[1], ARGV[2], tonumber(ARGV[3])
local now = clock()
local held = drop_lease(lease)
if not held then return 0 end
local job, domain, url = held.job, held.domain, held.url
local forgotten = ARGV[8] == '1' and not held.added
free_site(held.site, lease, now)
if held.price > 0 then settle_money(lease, held, verdict == 'unsent' and 0 or held.price) end
local known = redis.call('HMGET', DOMAIN(job, domain), 'site', 'home')
if not known[1] then return 1 end  -- the job was dropped meanwhile

if verdict ~= 'unsent' then redis.call('HINCRBY', DOMAIN(job, domain), held.method, 1) end
if forgotten then
  replay(job, domain, url)
  redis.call('HINCRBY', DOMAIN(job, domain), 'away', 1)
  bring_back(job, domain, url, now)
  return 1
end
if ARGV[7] ~= '' then
  for name, value in pairs(cjson.decode(ARGV[7])) do
    if string.sub(name, 1, 1) == '+' then redis.call('HINCRBY', DOMAIN(job, domain), string.sub(name, 2), value)
    else redis.call('HSET', DOMAIN(job, domain), name, value) end
    if name == '+key_wanted' then redis.call('HINCRBY', JOB(job), 'key_wanted', value) end
  end
end
if verdict == 'done' or verdict == 'failed' then
  redis.call('HINCRBY', DOMAIN(job, domain), 'fetched', 1)
  redis.call('HINCRBY', DOMAIN(job, domain), verdict, 1)
  redis.call('HINCRBY', DOMAIN(job, domain), 'mentions', mentions)
  redis.call('HINCRBY', JOB(job), 'mentions', mentions)
  redis.call('HINCRBY', JOB(job), 'pages', 1)
  if verdict == 'failed' then redis.call('HINCRBY', JOB(job), 'unread', 1) end
  if mentions > 0 then redis.call('HSET', JOB(job), 'find', url) end
  count(job, 'pages', now)
end
if verdict == 'done' or verdict == 'failed' or verdict == 'aside' then
  redis.call('HDEL', STATE(job, domain), url)
  if known[2] == url then home_over(job, domain) end
else
  if ARGV[4] ~= '' then redis.call('HSET', STATE(job, domain), url, ARGV[4]) end
  if verdict == 'park' then
    local state = redis.call('HGET', STATE(job, domain), url)
    park(job, domain, url, ARGV[6], line_place(job, domain, url, state and cjson.decode(state) or {}))
  else
    redis.call('HINCRBY', DOMAIN(job, domain), 'away', 1)
    if tonumber(ARGV[5]) > 0 then
      redis.call('ZADD', LATER(), now + tonumber(ARGV[5]), entry(job, domain, url))
    else
      bring_back(job, domain, url, now)
    end
  end
end
note_if_empty(job, domain, now)
return 1
