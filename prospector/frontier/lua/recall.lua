-- What the record remembers of sites: what is known here already stands where it is stricter.
--
-- ARGV  for each site: site, delay_ms, moment it is blocked until (ms, 0: not), strikes
local KEPT_MS = 3600000
local now = clock()
for i = 1, #ARGV, 4 do
  local site, delay_ms, blocked = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local known = redis.call('HMGET', SITE(site), 'delay', 'blocked', 'strikes', 'lease')
  redis.call('HSET', SITE(site), 'delay', math.max(delay_ms, tonumber(known[1]) or 0))
  if blocked > math.max(now, tonumber(known[2]) or 0) then redis.call('HSET', SITE(site), 'blocked', blocked) end
  if not known[3] then redis.call('HSET', SITE(site), 'strikes', ARGV[i + 3], 'struck', now) end
  if not known[4] then redis.call('PEXPIRE', SITE(site), KEPT_MS + math.max(0, blocked - now)) end
end
return #ARGV / 4
