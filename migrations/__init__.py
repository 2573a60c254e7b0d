"""How the database became what it is: forward only, expand before contract. Run by `prospector db migrate`."""
