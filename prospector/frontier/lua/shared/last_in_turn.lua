-- The turn of one that joins a queue of turns: after all who were served before.
local function last_in_turn()
  return tonumber(redis.call('HGET', META(), 'turn')) or 0
end
