-- A job's money as the record has it. Calls in flight here stay reserved; every other call that the record has not settled
-- counts at the price that was reserved for it.
--
-- ARGV  1 job   2 sign of the doubt before which the record was not read   3 credits used in settled calls
--       then lease and reserved credits of each call that is not settled
-- Gives 1, or 0 if another doubt came since: then these figures may lack what was paid meanwhile.
local job, spent, reserved = ARGV[1], tonumber(ARGV[3]), 0
if redis.call('HGET', JOB(job), 'balanced') ~= ARGV[2] then return 0 end
local flying = {}
for _, lease in ipairs(redis.call('ZRANGE', PAID_FLYING(), 0, -1)) do
  local held = cjson.decode(redis.call('HGET', LEASES(), lease))
  if held.job == job then
    flying[lease] = true
    reserved = reserved + held.price
  end
end
for i = 4, #ARGV, 2 do
  if not flying[ARGV[i]] then spent = spent + tonumber(ARGV[i + 1]) end
end
redis.call('HSET', JOB(job), 'spent', spent, 'reserved', reserved,
  'balanced', redis.call('HGET', META(), 'boots') or '0')
return 1
