-- Makes a job known, held until a lift. Made again, it keeps its counters and takes the limits.
--
-- ARGV  1 job   2 cap (credits)   3 threshold   4 top_pages   5 max_pages   6 max_queued   7 max_ms a domain   8 spent
--       9 method its pages begin with
-- Gives 1 if it is new, else 0.
local new = redis.call('EXISTS', JOB(ARGV[1])) == 0
redis.call('HSET', JOB(ARGV[1]), 'cap', ARGV[2], 'threshold', ARGV[3], 'top_pages', ARGV[4], 'max_pages', ARGV[5],
  'max_queued', ARGV[6], 'max_ms', ARGV[7], 'method', ARGV[9])
if not new then return 0 end
redis.call('HSET', JOB(ARGV[1]), 'state', 'held', 'spent', ARGV[8], 'reserved', 0, 'total', 0, 'waiting', 0, 'open', 0,
  'done', 0, 'failed', 0, 'parked', 0, 'pages', 0, 'mentions', 0, 'dead', 0, 'flying', 0, 'idle', 0, 'queued', 0, 'homes', 0, 'home_credits', 0,
  'balanced', redis.call('HGET', META(), 'boots') or '0')
return 1
