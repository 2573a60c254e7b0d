"""The local stack: Postgres, Redis and Scrapyd from wheels, started on demand, all of it below PROSPECTOR_HOME."""
