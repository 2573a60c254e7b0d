-- A domain that has had its pages or its time ends as partial: what is queued is dropped. True where that happened.
local function past_limit(job, domain, site, now)
  local known = redis.call('HMGET', DOMAIN(job, domain), 'fetched', 'opened', 'mode')
  local limits = redis.call('HMGET', JOB(job), 'max_pages', 'max_ms', 'top_pages')
  local pages = tonumber(limits[1])
  if known[3] == 'top' then pages = math.min(pages, tonumber(limits[3]) + 1) end
  local partial
  if tonumber(known[1]) >= pages then partial = known[3] == 'top' and 'top' or 'pages'
  elseif work_clock(job, now) - tonumber(known[2]) >= tonumber(limits[2]) then partial = 'time' end
  if not partial then return false end
  redis.call('HSET', DOMAIN(job, domain), 'partial', partial)
  redis.call('HINCRBY', JOB(job), 'queued', -redis.call('ZCARD', QUEUE(job, domain)))
  redis.call('DEL', QUEUE(job, domain))
  leave_queue(job, domain, site)
  note_if_empty(job, domain, now)
  return true
end
