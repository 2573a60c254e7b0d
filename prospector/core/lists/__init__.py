"""What users bring: files of domains, keywords and exclusions, in whatever state they are."""
