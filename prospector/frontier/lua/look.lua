-- Somebody looks after the server while no worker may: a start of it, or a silence, is met before there is work.
--
-- Gives 1, or 0 if there is no frontier here.
if redis.call('HEXISTS', META(), 'epoch') == 0 then return 0 end
meet_server(string.match(redis.call('INFO', 'server'), 'run_id:(%w+)'), clock())
return 1
