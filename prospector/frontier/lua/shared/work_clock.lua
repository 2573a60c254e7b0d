-- The job's own clock: it stands still while the job is held and while nobody claims (Redis is down, the machine sleeps, no
-- worker runs), for nothing of that is its domains' fault.
local function work_clock(job, now)
  local held = redis.call('HMGET', JOB(job), 'rested', 'held_at')
  local down = tonumber(redis.call('HGET', META(), 'down')) or 0
  local rest = (tonumber(held[1]) or 0) + (held[2] and now - tonumber(held[2]) or 0)
  return now - down - rest
end
