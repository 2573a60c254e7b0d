"""Keywords on a page: which places count, which come near, and how they are shown."""
