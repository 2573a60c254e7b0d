"""The process that keeps promises over time: what it does, how often, and what it knows."""
