"""The system as a whole: whether it is well, and how many workers it takes."""
