-- How the provider does: `open` (the breaker: no paid request goes), `probe` (but one may, now), `stopped` ('key' or 'credits':
-- none goes until an operator lifts a job for that reason), `most` (in flight, as the account allows; nil: not known).
-- An outage in which nothing is answered at all shows in the calls that have been in flight for long while none came back; those
-- that are not confirmed have not left, and may wait for the record.
local SILENT_MS = 25000
local SILENT_CALLS = 3
local function provider_now(now)
  local known = redis.call('HMGET', PROVIDER(), 'opened', 'probe', 'stopped', 'fine', 'called', 'most', 'most_until')
  local open, probe_at = known[1], tonumber(known[2]) or 0
  if not open and now - (tonumber(known[4]) or 0) >= SILENT_MS
    and redis.call('ZCOUNT', PAID_FLYING(), '-inf', now - SILENT_MS) >= SILENT_CALLS then
    probe_at = open_breaker(now)
    open = true
  end
  return {
    open = open and true or false, probe = open and now >= probe_at, stopped = known[3] or nil,
    called = tonumber(known[5]) or 0, most = (tonumber(known[7]) or 0) > now and tonumber(known[6]) or nil,
  }
end
