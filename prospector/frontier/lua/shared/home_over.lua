-- The homepage of a domain will need no more credits: once a domain, however it came to that.
local function home_over(job, domain)
  if redis.call('HSETNX', DOMAIN(job, domain), 'home_over', 1) == 1 then redis.call('HINCRBY', JOB(job), 'homes', 1) end
end
