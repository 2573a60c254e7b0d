-- Up to `most` of the pages in `parked` join the line of their job, in the order they had. Gives how many.
local function unpark(job, parked, most)
  local popped = redis.call('ZPOPMIN', parked, most)
  for i = 1, #popped, 2 do
    local _, domain = parts(popped[i])
    if redis.call('EXISTS', DOMAIN(job, domain)) == 1 then
      if redis.call('HINCRBY', DOMAIN(job, domain), 'parked', -1) == 0 then redis.call('HINCRBY', JOB(job), 'parked', -1) end
      redis.call('ZADD', PAID(job), popped[i + 1], popped[i])
      redis.call('ZADD', PAID_WAITING(), 'NX', last_in_turn(), job)
    end
  end
  return #popped / 2
end
