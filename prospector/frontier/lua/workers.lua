-- The workers that are alive, with what each last said of itself.
--
-- Gives for each: worker, ms since its last beat, then its words as a flat list.
local now = clock()
local told = {}
for _, worker in ipairs(redis.call('ZRANGE', WORKERS(), now, '+inf', 'BYSCORE', 'LIMIT', 0, 10000)) do
  local beat = tonumber(redis.call('HGET', WORKER(worker), 'beat')) or now
  told[#told + 1] = {worker, now - beat, redis.call('HGETALL', WORKER(worker))}
end
return told
