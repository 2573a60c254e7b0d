-- The first page of a job's line goes back to the front of its queue, unless it may not be paid for yet. True if one went.
local function call_first(job, rules, now)
  local money = redis.call('HMGET', JOB(job), 'cap', 'spent', 'reserved', 'balanced')
  if not money[1] or tonumber(money[4]) ~= rules.boots then return false end
  local first = redis.call('ZRANGE', PAID(job), 0, 0, 'WITHSCORES')
  local one, place = first[1], tonumber(first[2])
  local _, domain, url = parts(one)
  local raw = redis.call('HGET', STATE(job, domain), url)
  local fine, state = pcall(cjson.decode, raw or '{}')
  local price = fine and rules.prices[method_of(job, domain, state, rules)] or 0
  local left = tonumber(money[1]) - tonumber(money[2])
  local free = left - tonumber(money[3])
  local parks = rules.provider.stopped or price > left
  if not parks and (price > free or not is_its_turn(job, place, price, free)) then return false end
  redis.call('ZREM', PAID(job), one)
  if redis.call('EXISTS', PAID(job)) == 0 then
    redis.call('ZREM', PAID_WAITING(), job)
  else
    redis.call('ZADD', PAID_WAITING(), turn(), job)
  end
  bring_back(job, domain, url, now)
  return true
end
