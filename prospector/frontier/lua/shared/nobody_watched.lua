-- True for a while after a time in which nobody reached this server: that its workers gave no sign of life then was its own
-- fault, and those that live will give one now.
local REAPED_EVERY_MS = 20000  -- at least, while anybody lives
local function nobody_watched(lease_ms, now)
  local known = redis.call('HMGET', META(), 'watched', 'amnesty')
  redis.call('HSET', META(), 'watched', now)
  if known[1] and now - tonumber(known[1]) > REAPED_EVERY_MS then
    known[2] = now + lease_ms / 4
    redis.call('HSET', META(), 'amnesty', known[2])
  end
  return now < (tonumber(known[2]) or 0)
end
