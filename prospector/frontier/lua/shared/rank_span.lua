-- How far apart the ranks of pages stand in line (line_place.lua).
local function rank_span() return 2 ^ 40 end
