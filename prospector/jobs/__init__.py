"""What an operator can do with jobs, and what keeps their promises over time."""
