-- Takes back the leases of workers that have shown no sign of life, a bounded number a call.
--
-- ARGV  1 leases after which the call ends with the worker it is at   2 losses that make a dead letter   3 lease_ms
-- Gives {leases taken back, dead letters}.
--
-- A loss counts against the page only if its worker died while its node lived, and without a goodbye: a node that is gone takes
-- all its workers along, and no page is to blame for that. A page handed out alone that loses its worker is a dead letter at once.
local NODE_MEMORY_MS = 86400000
local most, losses_most, lease_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = clock()
if nobody_watched(lease_ms, now) then return {0, 0} end
local taken, dead = 0, 0
for _, worker in ipairs(redis.call('ZRANGE', WORKERS(), '-inf', now, 'BYSCORE', 'LIMIT', 0, 20)) do
  local expired = tonumber(redis.call('ZSCORE', WORKERS(), worker))
  local blamed = redis.call('HEXISTS', WORKER(worker), 'left') == 0 and node_outlived(worker, expired - lease_ms, lease_ms)
  for _, lease in ipairs(redis.call('SMEMBERS', HANDS(worker))) do  -- all at once: a worker lost everything or nothing
    taken = taken + 1
    if lose(lease, blamed, losses_most, now) then dead = dead + 1 end
  end
  redis.call('ZREM', WORKERS(), worker)
  redis.call('DEL', WORKER(worker))
  if taken >= most then break end
end
redis.call('ZREMRANGEBYSCORE', NODES(), '-inf', now - NODE_MEMORY_MS)  -- each container is a node of its own
return {taken, dead}
