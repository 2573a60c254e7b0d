-- Gives the newest events of the record that somebody has been told, oldest first; none: nobody ever looked.
return redis.call('ZRANGE', TOLD(), 0, -1)
