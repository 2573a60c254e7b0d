"""A job as a whole: what was asked for, its states, its cost and how far it is."""
