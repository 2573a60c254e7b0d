-- True if the page's method is free, or if it may be paid for now: then its price is reserved here. Otherwise the page is
-- put where it waits: parked for a reason that somebody must mend, or in the line of its job's paid pages.
local function affordable(job, domain, url, state, rules, now)
  local price = rules.prices[state.m] or 0
  if price == 0 then return true end
  local provider = rules.provider
  local place = line_place(job, domain, url, state)
  local money = redis.call('HMGET', JOB(job), 'cap', 'spent', 'reserved', 'balanced')
  local left = tonumber(money[1]) - tonumber(money[2])
  local free = left - tonumber(money[3])  -- what is reserved may yet come back: a page that failed costs nothing
  local reason = provider.stopped
  if not reason and price > left then reason = 'budget' end
  if not reason and provider.open and not provider.probe then reason = 'provider' end
  if reason then
    park(job, domain, url, reason, place)
    note_if_empty(job, domain, now)
    return false
  end
  -- after a start of Redis what was spent in its last second is not known until the record has been asked
  local sure = tonumber(money[4]) == rules.boots
  if not sure or price > free or redis.call('ZCARD', PAID_FLYING()) >= rules.paid_most
    or not is_its_turn(job, place, price, free) then
    join_line(job, domain, url, place)
    note_if_empty(job, domain, now)
    return false
  end
  redis.call('HINCRBY', JOB(job), 'reserved', price)
  if provider.open then probe_sent(provider, now) end
  return true
end
