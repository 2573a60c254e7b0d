-- A worker that ends in good order says goodbye: from now on it does not count as alive. One that still holds leases (paid
-- requests that were under way) stays until they run out, and then none of its pages is to blame.
--
-- ARGV  1 worker
-- Gives 1 if it is gone.
local worker = ARGV[1]
if redis.call('EXISTS', HANDS(worker)) == 1 then
  redis.call('HSET', WORKER(worker), 'left', 1)
  return 0
end
redis.call('ZREM', WORKERS(), worker)
redis.call('DEL', WORKER(worker))
return 1
