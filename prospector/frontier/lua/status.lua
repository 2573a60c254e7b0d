-- Where jobs stand, from counters alone: the same work at any size.
--
-- ARGV  names of counters (JSON list)   then jobs
-- Gives for each: {} where the job is not known here, else {counters (a list, in the order asked for), pages in the last 1, 5
--       and 15 minutes, domains in the same, parked pages by reason (flat list), pages in line for paid requests,
--       ms that its most overdue site waits, ms it has been handed out without a break (-1: it is held), domains stalled by a
--       far Retry-After, the last moment one of these waits for}
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
    local known = redis.call('HMGET', JOB(job), 'state', 'since')
    local last = redis.call('ZRANGE', STALLED(job), 0, 0, 'REV', 'WITHSCORES')[2]
    local first = redis.call('ZRANGE', READY(job), 0, 0, 'WITHSCORES')[2]
    told[i - 1] = {
      redis.call('HMGET', JOB(job), unpack(names)), counted(job, 'pages', now), counted(job, 'domains', now), parked,
      redis.call('ZCARD', PAID(job)) + redis.call('ZCARD', LIFTED(job)), first and math.max(0, now - tonumber(first)) or 0,
      known[1] == 'running' and now - (tonumber(known[2]) or 0) or -1,
      redis.call('ZCOUNT', STALLED(job), now, '+inf'), last or '0',
    }
  end
end
return told
