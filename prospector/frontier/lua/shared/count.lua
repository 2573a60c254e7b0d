-- One more in this minute; minutes older than a quarter of an hour are dropped.
local KEPT_MINUTES = 16
local function count(job, what, now)
  local minute = math.floor(now / 60000)
  if redis.call('HINCRBY', RATE(job), minute .. ':' .. what, 1) == 1 then
    redis.call('HDEL', RATE(job), (minute - KEPT_MINUTES) .. ':' .. what, (minute - KEPT_MINUTES - 1) .. ':' .. what)
  end
end
