-- Gives the jobs whose pages are handed out.
return redis.call('ZRANGE', RUNNING(), 0, -1)
