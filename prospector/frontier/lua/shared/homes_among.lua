-- How many homepages are among these pages, which stand there by their place in line (line_place.lua).
local function homes_among(pages)
  return redis.call('ZCOUNT', pages, '-inf', '(' .. rank_span())
end
