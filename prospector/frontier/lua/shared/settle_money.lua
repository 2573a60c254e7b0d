-- A paid request is over: its reservation becomes what was charged, and its slot is free.
local function settle_money(lease, held, charged)
  redis.call('ZREM', PAID_FLYING(), lease)
  if redis.call('EXISTS', JOB(held.job)) == 0 then return end
  redis.call('HINCRBY', JOB(held.job), 'reserved', -held.price)
  redis.call('HINCRBY', JOB(held.job), 'spent', charged)
  if held.home then redis.call('HINCRBY', JOB(held.job), 'home_credits', charged) end
  if redis.call('EXISTS', DOMAIN(held.job, held.domain)) == 1 then
    redis.call('HINCRBY', DOMAIN(held.job, held.domain), 'credits', charged)
  end
end
