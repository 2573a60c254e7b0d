"""One file a step, numbered in order: a later number is a newer schema."""
