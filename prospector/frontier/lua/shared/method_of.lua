-- How a page is to be fetched: as its own state says, else as its domain has taught (method_memory.py), else as its job begins.
local function method_of(job, domain, state, rules)
  if state.m then return state.m end
  if state.k == 'sitemap' then return 'direct' end
  rules.first[job] = rules.first[job] or redis.call('HGET', JOB(job), 'method') or 'direct'
  return redis.call('HGET', DOMAIN(job, domain), 'method') or rules.first[job]
end
