-- Pages whose back-off is over go back into their queues, a bounded number a call.
local DUE_A_CALL = 100
local function queue_due(now)
  for _, one in ipairs(redis.call('ZRANGE', LATER(), '-inf', now, 'BYSCORE', 'LIMIT', 0, DUE_A_CALL)) do
    redis.call('ZREM', LATER(), one)
    local job, domain, url = parts(one)
    bring_back(job, domain, url, now)
  end
end
