"""What a crawl did and delivered, held against the truth."""
