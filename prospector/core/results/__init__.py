"""What comes of a domain: its outcome, findings, score and prospects."""
