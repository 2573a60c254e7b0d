-- All jobs that this server has anything of, handed out or held, a bounded number of keys a call.
--
-- ARGV  1 where the last call ended ('0': the beginning)
-- Gives {where this one ends ('0': that was all), jobs ...}; a job may come twice.
local KEYS_A_CALL = 1000
local found = redis.call('SCAN', ARGV[1], 'MATCH', JOB('*'), 'COUNT', KEYS_A_CALL)
local told = {found[1]}
for i, name in ipairs(found[2]) do told[i + 1] = string.sub(name, #JOB('') + 1) end
return told
