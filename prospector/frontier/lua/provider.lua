-- How the provider does, for people.
--
-- Gives {ms since the breaker opened (-1: it is closed), 'key' or 'credits' or '', paid requests in flight, most the account
-- allows (-1: not known)}.
local now = clock()
local provider = provider_now(now)
local opened = tonumber(redis.call('HGET', PROVIDER(), 'opened'))
return {opened and now - opened or -1, provider.stopped or '', redis.call('ZCARD', PAID_FLYING()), provider.most or -1}
