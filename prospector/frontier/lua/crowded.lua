-- Gives why new jobs have to wait, or '' where they do not.
return redis.call('GET', CROWDED()) or ''
