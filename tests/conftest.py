"""Examples of property tests have no deadline: how long one takes is up to the machine and who else uses it."""

from hypothesis import settings

settings.register_profile("calipers", deadline=None)
settings.load_profile("calipers")
