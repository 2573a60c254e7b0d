-- The state of a page that was taken from its queue. One that nobody can read becomes a dead letter; one of a newer
-- version of the product is left for workers of that version.
local FOREIGN_MS = 5000
local function read_state(job, domain, url, raw, rules, now)
  if not raw then return {} end
  local fine, state = pcall(cjson.decode, raw)
  if not fine or type(state) ~= 'table' then
    bury(job, domain, url, 'unreadable state', 0, now)
    return nil
  end
  if (tonumber(state.v) or 0) > rules.version then
    redis.call('HINCRBY', DOMAIN(job, domain), 'away', 1)
    redis.call('ZADD', LATER(), now + FOREIGN_MS, entry(job, domain, url))
    return nil
  end
  return state
end
