"""Property tests are not timed: the machine may be busy, and the first example loads the packaged lists."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
