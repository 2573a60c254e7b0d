-- One address serves many sites: at most so many a second and in flight, over all. A moment later than now means: not yet.
local GAP_MS = 50
local FLYING_MOST = 16
local function address_slot(site, address, now)
  if not address then return now end
  local known = redis.call('HMGET', ADDRESS(address), 'next', 'flying')
  local next_at, flying = tonumber(known[1]) or 0, tonumber(known[2]) or 0
  local slot = tonumber(redis.call('HGET', SITE(site), 'slot'))
  if flying >= FLYING_MOST then
    redis.call('HDEL', SITE(site), 'slot')
    return now + GAP_MS * (flying - FLYING_MOST + 1)
  end
  if slot and slot <= now then return now end  -- it waited for this moment, which is its own
  local at = math.max(now, next_at)
  redis.call('HSET', ADDRESS(address), 'next', at + GAP_MS)
  redis.call('PEXPIRE', ADDRESS(address), 600000)
  if at > now then redis.call('HSET', SITE(site), 'slot', at) end
  return at
end
