local function parts(entry_)
  return string.match(entry_, '^([^\31]*)\31([^\31]*)\31(.*)$')
end
