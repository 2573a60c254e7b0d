-- Pages at the head of the lines go back to the front of their queues, in turn between the running jobs, as many as there
-- are free slots. While the breaker is open, one page is called when a probe is due, and another if that one could not go. Where the
-- provider is stopped, they are called to be parked for that.
local UNPARKED_A_CALL = 50
local CALLED_TO_PARK = 50
local PROBE_WAITS_MS = 2000
local function call_up(jobs, rules, now)
  local provider = rules.provider
  local room = rules.paid_most - redis.call('ZCARD', PAID_FLYING())
  if provider.stopped then
    room = CALLED_TO_PARK
  elseif provider.open then
    if not provider.probe or now < provider.called + PROBE_WAITS_MS then return end
    room = 1
    redis.call('HSET', PROVIDER(), 'called', now)
  end
  for _, job in ipairs(jobs) do
    unpark(job, LIFTED(job), UNPARKED_A_CALL)
    local moved = unpark(job, PARKED(job, 'provider'), provider.open and 1 or UNPARKED_A_CALL)
    if provider.open and moved > 0 then break end
  end
  if room <= 0 then return end
  local found = true
  while found and room > 0 do
    found = false
    for _, job in ipairs(redis.call('ZRANGE', PAID_WAITING(), 0, -1)) do
      if room > 0 and redis.call('ZSCORE', RUNNING(), job) and call_first(job, rules, now) then
        found = true
        room = room - 1
      end
    end
  end
end
