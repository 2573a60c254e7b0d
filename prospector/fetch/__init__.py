"""How a page is fetched: directly, or through ScrapingBee. Knows nothing of the frontier: a request carries its passage."""
