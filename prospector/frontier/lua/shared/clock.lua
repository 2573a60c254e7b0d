-- Milliseconds that never go back: when the server's clock steps back, ours stands still and goes on from there,
-- so no moment written before the step lies further ahead than it did.
local function clock()
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local past = redis.call('HMGET', META(), 'clock', 'skew')
  local last, skew = tonumber(past[1]) or 0, tonumber(past[2]) or 0
  now = now + skew
  if now < last then
    redis.call('HSET', META(), 'skew', skew + last - now)
    now = last
  end
  return now
end
