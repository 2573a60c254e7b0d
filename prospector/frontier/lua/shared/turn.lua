-- Ever larger: who was served last has the largest, so the smallest is next.
local function turn()
  return redis.call('HINCRBY', META(), 'turn', 1)
end
