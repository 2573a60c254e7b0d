-- A lease whose holder is gone: the page is a suspect, or a dead letter (true). The site's delay applies from now.
local function lose(lease, blamed, losses_most, now)
  local held = drop_lease(lease)
  if not held then return false end
  free_site(held.site, lease, now)
  if held.price > 0 then settle_money(lease, held, held.price) end
  if redis.call('EXISTS', DOMAIN(held.job, held.domain)) == 0 then return false end
  local state = replay(held.job, held.domain, held.url)
  if blamed then state.l = (state.l or 0) + 1 end
  if blamed and (held.alone or state.l >= losses_most) then
    bury(held.job, held.domain, held.url, 'its worker died with it', state.l, now)
    return true
  end
  redis.call('HINCRBY', DOMAIN(held.job, held.domain), 'away', 1)
  redis.call('HSET', STATE(held.job, held.domain), held.url, cjson.encode(state))
  if blamed then
    redis.call('ZADD', SUSPECTS(), now, entry(held.job, held.domain, held.url))
  else
    bring_back(held.job, held.domain, held.url, now)
  end
  return false
end
