"""Item pipelines: what is found on a page, then what is kept of it."""
