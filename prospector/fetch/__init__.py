"""The wire to who fetches pages for money. Another provider would be one more file here."""
