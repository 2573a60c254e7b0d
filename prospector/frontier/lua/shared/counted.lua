-- How many there were in the last 1, 5 and 15 minutes: whole minutes, and of the first the part that still counts.
local function counted(job, what, now)
  local minute = math.floor(now / 60000)
  local names = {}
  for back = 0, 15 do names[back + 1] = (minute - back) .. ':' .. what end
  local counts = redis.call('HMGET', RATE(job), unpack(names))
  local part = 1 - (now / 60000 - minute)
  local sums, sum = {}, 0
  for back = 0, 15 do
    local here = tonumber(counts[back + 1]) or 0
    if back == 1 or back == 5 or back == 15 then sums[#sums + 1] = math.floor(sum + here * part + 0.5) end
    sum = sum + here
  end
  return sums
end
