-- A paid request is over: its reservation becomes what was charged, and its slot is free for the next job in turn.
local function settle_money(held, charged, now)
  redis.call('HINCRBY', JOB(held.job), 'reserved', -held.price)
  redis.call('HINCRBY', JOB(held.job), 'spent', charged)
  redis.call('HINCRBY', META(), 'paid', -1)
  local job = redis.call('ZRANGE', PAID_WAITING(), 0, 0)[1]
  if not job then return end
  local one = redis.call('ZPOPMIN', PAID(job))[1]
  if redis.call('EXISTS', PAID(job)) == 0 then
    redis.call('ZREM', PAID_WAITING(), job)
  else
    redis.call('ZADD', PAID_WAITING(), turn(), job)
  end
  if one then
    local _, domain, url = parts(one)
    bring_back(job, domain, url, now)
  end
end
