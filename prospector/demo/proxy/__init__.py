"""A proxy for TCP that does to its connections what it is ordered to."""
