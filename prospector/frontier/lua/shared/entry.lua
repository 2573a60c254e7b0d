-- One string for a page outside of its domain's queue, and back.
local function entry(job, domain, url)
  return job .. '\31' .. domain .. '\31' .. url
end
