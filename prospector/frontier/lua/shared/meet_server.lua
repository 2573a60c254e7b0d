-- After a start of the server, whose last second may be missing, and after a time in which nobody looked at it (it was away,
-- the machine slept, or its clock has jumped ahead), no site is asked before its delay from now. Claims look, and the steward
-- looks while no worker claims: so the first job after a quiet time begins at once.
local SILENCE_MS = 30000  -- a worker that lives claims every second, and the steward looks every second
local HEARD_MS = 2000  -- for so long after its last answer a worker sends what this server may have forgotten (pump.py)
local FORGOTTEN_MS = 10000  -- more than a killed server forgets, and HEARD_MS
local function meet_server(run, now)
  local known = redis.call('HMGET', META(), 'run', 'boot', 'clock', 'looked')
  local claimed, looked = tonumber(known[3]) or 0, tonumber(known[4]) or 0
  local unseen_ms = now - math.max(claimed, looked)
  redis.call('HSET', META(), 'looked', now)
  local started = known[1] ~= run
  if not started and unseen_ms <= SILENCE_MS then return end
  local boot = started and known[1] and now - claimed < FORGOTTEN_MS and now + HEARD_MS or now
  redis.call('HSET', META(), 'run', run, 'boot', math.max(tonumber(known[2]) or 0, boot))
  if started and known[1] then redis.call('HINCRBY', META(), 'boots', 1) end
end
