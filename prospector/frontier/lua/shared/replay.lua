-- The state of a page that is to be fetched again, though what it links to may be in the frontier already, and not yet in the
-- record, or the other way round: then its row names all of it (pipelines/write.py).
local function replay(job, domain, url)
  local raw = redis.call('HGET', STATE(job, domain), url)
  local state = raw and cjson.decode(raw) or {v = 1}
  state.x = state.x or {}
  state.x.replayed = 1
  redis.call('HSET', STATE(job, domain), url, cjson.encode(state))
  return state
end
