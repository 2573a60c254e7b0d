"""Rules: values in, values out. No input, no output, no clock."""
