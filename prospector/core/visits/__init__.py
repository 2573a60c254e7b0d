"""One page from ticket to outcome: how it is asked for, what the answer proves, what comes next."""
