-- A page's place in the line of its job's paid pages: homepages first, then pages with a hint, then the rest (priority.py);
-- among equals first in, first out. A smaller number goes earlier.
local function line_place(job, domain, url, state)
  local rank = type(state.x) == 'table' and tonumber(state.x.rank) or 2
  if redis.call('HGET', DOMAIN(job, domain), 'home') == url then rank = 0 end
  return rank * rank_span() + redis.call('HINCRBY', META(), 'line', 1)
end
