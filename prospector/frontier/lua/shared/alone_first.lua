-- A page whose lease was lost may be what kills workers: it is handed out alone. One worker at a time empties its hands
-- for that, and only when it can be asked for now. Returns nil where this worker goes on as usual, else the wait, with the ticket (if any) in `tickets`.
local RETRY_MS = 200
local LOOK_AT = 50
local function alone_first(worker, rules, now, tickets)
  local quiet = redis.call('GET', QUIET())
  local busy = redis.call('SCARD', HANDS(worker)) > 0
  if quiet == worker and busy then return RETRY_MS end  -- it still has what came before, or the suspect itself
  if redis.call('EXISTS', SUSPECTS()) == 0 then
    if quiet == worker then redis.call('DEL', QUIET()) end
    return nil
  end
  if quiet and quiet ~= worker and (tonumber(redis.call('ZSCORE', WORKERS(), quiet)) or 0) > now then return nil end
  local may_go = {}
  for _, one in ipairs(redis.call('ZRANGE', SUSPECTS(), 0, LOOK_AT - 1)) do
    local job, domain, url = parts(one)
    local site = redis.call('HGET', DOMAIN(job, domain), 'site')
    if not site then redis.call('ZREM', SUSPECTS(), one)
    elseif rules.only_job ~= '' and rules.only_job ~= job then  -- another worker's
    else
      local delay_ms, at = site_due(site, rules, now)
      if redis.call('ZSCORE', RUNNING(), job) and at and at <= now and limit_reached(job, domain, site, now) ~= 'full' then may_go[#may_go + 1] = {one, job, domain, url, site, delay_ms}
      else redis.call('ZADD', SUSPECTS(), now, one) end  -- of a held job, or one that has to wait: behind the others
    end
  end
  if #may_go > 0 then
    redis.call('SET', QUIET(), worker)
    if busy then return RETRY_MS end
    for _, page in ipairs(may_go) do
      local one, job, domain, url, site, delay_ms = unpack(page)
      local ticket = take_suspect(one, job, domain, url, site, worker, rules, delay_ms, now)
      if ticket then
        tickets[1] = ticket
        return RETRY_MS
      end
    end
  end
  redis.call('DEL', QUIET())  -- none may go now: work goes on meanwhile
  return nil
end
