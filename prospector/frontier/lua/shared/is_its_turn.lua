-- May a page with this place and price be paid for now, though `free` credits would do? Not while one of a better rank stands
-- in line; and only a homepage may take what the homepages still to come will need, going by those that are done. What is left
-- cannot pay for those that are parked for the budget, so nothing is kept for them.
local function is_its_turn(job, place, price, free)
  local rank = math.floor(place / rank_span())
  if rank == 0 or price == 0 then return true end
  local first = redis.call('ZRANGE', PAID(job), 0, 0, 'WITHSCORES')[2]
  if first and math.floor(tonumber(first) / rank_span()) < rank then return false end
  local known = redis.call('HMGET', JOB(job), 'total', 'homes', 'home_credits')
  local homes = tonumber(known[2])
  local to_come = tonumber(known[1]) - homes - homes_among(PARKED(job, 'budget'))
  return free - price >= math.ceil(to_come * tonumber(known[3]) / math.max(1, homes))
end
