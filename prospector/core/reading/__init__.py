"""From bytes to what a page says: its text by zones, its links, its language, what kind of page it is."""
