-- A sign of life: all leases of the worker last anew.
--
-- ARGV  1 worker   2 lease_ms   then names and values of what the worker says of itself
-- Gives 1, or 0 if the worker was taken for dead: then its leases are lost and what it has not sent must not be sent.
local worker, lease_ms = ARGV[1], tonumber(ARGV[2])
local now = clock()
local known = redis.call('ZSCORE', WORKERS(), worker)
redis.call('ZADD', WORKERS(), now + lease_ms, worker)
redis.call('ZADD', NODES(), now, string.match(worker, '^[^/]*'))
redis.call('HSET', WORKER(worker), 'beat', now, unpack(ARGV, 3))
redis.call('PEXPIRE', WORKER(worker), 600000)
return known and 1 or 0
