"""The simulator of ScrapingBee: its rules, its account, its faults, and the truth of what it charged."""
