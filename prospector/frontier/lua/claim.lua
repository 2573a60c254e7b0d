-- Hands out up to n tickets, at most one a site, round robin over the running jobs.
--
-- KEYS  none: keys are made by the functions of keys.py
-- ARGV  1 worker   2 n   3 lease_ms   4 delay_ms of a site not met before   5 run id of the server
--       6 version of the codec   7 open domains for each live worker   8 most paid requests in flight   9 prices (JSON: method -> credits)
--       10 the only job to hand out work of, '' for all that run
-- Gives {wait_ms, changes, epoch, ticket (JSON) ...}: wait_ms until a next claim can give more, -1 if nothing is known to come;
--       changes counts holds and lifts, so that a worker knows when to give back what it has not sent.
--       {'empty'} where Redis has lost everything and must be rebuilt first.
local LOOKS_MOST = 1000  -- a call: domains whose pages cannot go now are opened and put aside one after the other
local worker, n, lease_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local rules = {
  delay_ms = tonumber(ARGV[4]), version = tonumber(ARGV[6]),
  paid_most = tonumber(ARGV[8]), prices = cjson.decode(ARGV[9]), only_job = ARGV[10], first = {},
}

local now = clock()
if redis.call('HEXISTS', META(), 'epoch') == 0 then return {'empty'} end
meet_server(ARGV[5], now)
local meta = redis.call('HMGET', META(), 'epoch', 'claimed', 'boot', 'changes', 'clock', 'boots')
redis.call('HSET', META(), 'clock', now, 'claimed', ARGV[5])
rules.epoch = meta[1]
rules.run = string.sub(ARGV[5], 1, 8)  -- in each lease: a restart may have forgotten the last ones that were counted
rules.boot = tonumber(meta[3]) or 0
rules.boots = tonumber(meta[6]) or 0
local silent_ms = math.max(0, now - (tonumber(meta[5]) or now))
if meta[2] ~= ARGV[5] or silent_ms > SILENCE_MS then  -- the first claim of this run of the server, or after a while
  redis.call('HINCRBY', META(), 'down', silent_ms)
  for _, job in ipairs(redis.call('ZRANGE', RUNNING(), 0, -1)) do begin_run(job, now) end
end
redis.call('ZADD', WORKERS(), now + lease_ms, worker)
redis.call('ZADD', NODES(), now, string.match(worker, '^[^/]*'))
queue_due(now)
rules.provider = provider_now(now)
rules.paid_most = math.min(rules.paid_most, rules.provider.most or rules.paid_most)

local tickets = {}
local wait_ms = alone_first(worker, rules, now, tickets)
if wait_ms then return {wait_ms, meta[4] or '0', meta[1], unpack(tickets)} end

local jobs = redis.call('ZRANGE', RUNNING(), 0, -1)
if rules.only_job ~= '' then
  jobs = redis.call('ZSCORE', RUNNING(), rules.only_job) and {rules.only_job} or {}
end
call_up(jobs, rules, now)
local open_most = math.ceil(tonumber(ARGV[7]) * redis.call('ZCARD', WORKERS()) / math.max(1, #jobs))
local found, looks = true, LOOKS_MOST
while found and #tickets < n and looks > 0 do
  found = false
  for _, job in ipairs(jobs) do
    if #tickets >= n then break end
    looks = looks - 1
    local site = redis.call('ZRANGE', READY(job), '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)[1]
    if not site and open_domain(job, open_most, now) then found = true
    elseif site then
      found = true
      local ticket = take_site(site, worker, rules, now)
      if ticket then
        tickets[#tickets + 1] = ticket
        redis.call('ZADD', RUNNING(), turn(), job)
      end
    end
  end
end

local next_at = nil
for _, job in ipairs(jobs) do
  local first = redis.call('ZRANGE', READY(job), 0, 0, 'WITHSCORES')[2]
  if first and (not next_at or tonumber(first) < next_at) then next_at = tonumber(first) end
end
local due = redis.call('ZRANGE', LATER(), 0, 0, 'WITHSCORES')[2]
if due and (not next_at or tonumber(due) < next_at) then next_at = tonumber(due) end
wait_ms = next_at and math.max(0, next_at - now) or -1
if looks == 0 then wait_ms = 0 end
return {wait_ms, meta[4] or '0', meta[1], unpack(tickets)}
