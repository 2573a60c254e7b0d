"""The small web itself: what is planned, what is served, and what a crawl of it must find."""
