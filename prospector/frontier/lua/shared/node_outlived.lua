-- Did another worker of the same node show a sign of life when this one should have? Beats come four times a lease, each
-- worker's at moments of its own: one that is merely a little later says nothing of a node whose workers ended together.
local function node_outlived(worker, last_sign, lease_ms)
  local seen = redis.call('ZSCORE', NODES(), string.match(worker, '^[^/]*'))
  return (tonumber(seen) or 0) > last_sign + lease_ms / 2
end
