-- What is known of a job, for whoever looks: its limits, counters and money, and what it did in each of the last minutes.
--
-- ARGV  1 job
-- Gives {now, the job's hash as a flat list, 'minute:what' and how many as a flat list}; empty lists for a job not known here.
return {clock(), redis.call('HGETALL', JOB(ARGV[1])), redis.call('HGETALL', RATE(ARGV[1]))}
