-- The job is handed out from this moment on: how fast it is, is counted from here.
local function begin_run(job, now)
  redis.call('HSET', JOB(job), 'since', now)
  redis.call('UNLINK', RATE(job))
end
