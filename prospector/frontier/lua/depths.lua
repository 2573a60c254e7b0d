-- What is under way over all jobs, for people.
--
-- Gives {leases, ms of the oldest lease, workers alive, suspects, pages whose back-off runs, domains to be closed,
--        dead letters that the record does not have yet}.
local LEASES_LOOKED_AT = 5000
local now = clock()
local oldest = now
for _, raw in ipairs(redis.call('HRANDFIELD', LEASES(), LEASES_LOOKED_AT, 'WITHVALUES')) do
  if string.sub(raw, 1, 1) == '{' then oldest = math.min(oldest, cjson.decode(raw).at) end
end
return {
  redis.call('HLEN', LEASES()), now - oldest, redis.call('ZCOUNT', WORKERS(), now, '+inf'), redis.call('ZCARD', SUSPECTS()),
  redis.call('ZCARD', LATER()), redis.call('ZCARD', FINISHING()), redis.call('HLEN', DEAD()),
}
