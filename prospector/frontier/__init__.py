"""Everything in Redis: who may fetch what, and when. One operation is one Lua file, on the clock of the server."""
