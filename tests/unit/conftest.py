"""Property tests are not timed: the machine may be busy, and the first example loads the packaged lists.

The gate tries the same examples each time; `bin/test unit --hypothesis-profile=search` looks for others.
"""

from hypothesis import HealthCheck, settings

settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=False)
settings.register_profile("gate", settings.get_profile("search"), derandomize=True, database=None)
settings.load_profile("gate")
