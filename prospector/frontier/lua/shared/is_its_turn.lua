-- May a page with this place and price be paid for now, though `free` credits would do? Not while one of a better rank stands
-- in line; and only a homepage may take what the homepages of domains not opened yet will need, going by those that were.
local RANK = 2 ^ 40
local function is_its_turn(job, place, price, free)
  local rank = math.floor(place / RANK)
  if rank == 0 then return true end
  local first = redis.call('ZRANGE', PAID(job), 0, 0, 'WITHSCORES')[2]
  if first and math.floor(tonumber(first) / RANK) < rank then return false end
  local known = redis.call('HMGET', JOB(job), 'total', 'waiting', 'home_credits')
  local waiting = tonumber(known[2])
  local opened = math.max(1, tonumber(known[1]) - waiting)
  return free - price >= math.ceil(waiting * (tonumber(known[3]) or 0) / opened)
end
