-- Did another worker of the same node show a sign of life after this one's last?
local function node_outlived(worker, last_sign)
  local seen = redis.call('ZSCORE', NODES(), string.match(worker, '^[^/]*'))
  return (tonumber(seen) or 0) > last_sign
end
