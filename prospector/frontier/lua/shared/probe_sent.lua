-- One page has been let through an open breaker: the next may go a while later, whether this one comes back or not.
local function probe_sent(provider, now)
  provider.probe = false
  open_breaker(now)
end
