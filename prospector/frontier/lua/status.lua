-- Where jobs stand, from counters alone: the same work at any size.
--
-- ARGV  names of counters (JSON list)   then jobs
-- Gives for each: {} where the job is not known here, else {counters (a list, in the order asked for), pages in the last 1, 5
--       and 15 minutes, domains in the same, parked pages by reason (flat list), pages in line for paid requests,
--       ms that its most overdue site waits}
local names = cjson.decode(ARGV[1])
local now = clock()
local told = {}
for i = 2, #ARGV do
  local job = ARGV[i]
  told[i - 1] = {}
  if redis.call('EXISTS', JOB(job)) == 1 then
    local parked = {}
    for _, reason in ipairs({'budget', 'key', 'credits', 'provider'}) do
      parked[#parked + 1] = reason
      parked[#parked + 1] = redis.call('ZCARD', PARKED(job, reason))
    end
    local first = redis.call('ZRANGE', READY(job), 0, 0, 'WITHSCORES')[2]
    told[i - 1] = {
      redis.call('HMGET', JOB(job), unpack(names)), counted(job, 'pages', now), counted(job, 'domains', now), parked,
      redis.call('ZCARD', PAID(job)), first and math.max(0, now - tonumber(first)) or 0,
    }
  end
end
return told
