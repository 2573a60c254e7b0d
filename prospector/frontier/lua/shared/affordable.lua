-- True if the page's method is free, or its price fits under the cap of the job and a paid slot is free: then it is
-- reserved here. Otherwise the page is put where it waits for money or for a slot.
local function affordable(job, domain, url, state, score, rules, now)
  local price = rules.prices[state.m or 'direct'] or 0
  if price == 0 then return true end
  local money = redis.call('HMGET', JOB(job), 'cap', 'spent', 'reserved')
  if tonumber(money[2]) + tonumber(money[3]) + price > tonumber(money[1]) then
    park(job, domain, url, 'budget')
    return false
  end
  if (tonumber(redis.call('HGET', META(), 'paid')) or 0) >= rules.paid_most then
    redis.call('HINCRBY', DOMAIN(job, domain), 'away', 1)
    redis.call('ZADD', PAID(job), score, entry(job, domain, url))
    redis.call('ZADD', PAID_WAITING(), 'NX', 0, job)
    return false
  end
  redis.call('HINCRBY', JOB(job), 'reserved', price)
  redis.call('HINCRBY', META(), 'paid', 1)
  return true
end
