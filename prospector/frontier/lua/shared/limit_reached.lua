-- A domain that has had its pages or its time ends as partial: what is queued is dropped, and 'past' returned. It is 'full' while
-- what is in flight may be the last pages that it may have: no other goes before one of them has ended as something that
-- does not count (robots.txt, a sitemap, a hop, a retry). Otherwise nil.
local function limit_reached(job, domain, site, now)
  local known = redis.call('HMGET', DOMAIN(job, domain), 'fetched', 'opened', 'mode', 'flying')
  local limits = redis.call('HMGET', JOB(job), 'max_pages', 'max_ms', 'top_pages')
  local left = tonumber(limits[1]) - tonumber(known[1])
  if known[3] == 'top' then left = math.min(left, tonumber(limits[3]) + 1 - tonumber(known[1])) end
  local partial
  if left <= 0 then partial = known[3] == 'top' and 'top' or 'pages'
  elseif work_clock(job, now) - tonumber(known[2]) >= tonumber(limits[2]) then partial = 'time' end
  if not partial then return left <= tonumber(known[4]) and 'full' or nil end
  redis.call('HSET', DOMAIN(job, domain), 'partial', partial)
  redis.call('HINCRBY', JOB(job), 'queued', -redis.call('ZCARD', QUEUE(job, domain)))
  redis.call('DEL', QUEUE(job, domain))
  leave_queue(job, domain, site)
  note_if_empty(job, domain, now)
  return 'past'
end
