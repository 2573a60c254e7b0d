-- One more in this minute; minutes older than a quarter of an hour are dropped.
local KEPT_MINUTES = 16
local function count(job, what, now)
  local minute = math.floor(now / 60000)
  redis.call('HSET', JOB(job), 'last', now)
  if redis.call('HINCRBY', RATE(job), minute .. ':' .. what, 1) == 1 then
    for _, name in ipairs(redis.call('HKEYS', RATE(job))) do
      if tonumber(string.match(name, '^%d+')) < minute - KEPT_MINUTES then redis.call('HDEL', RATE(job), name) end
    end
  end
end
