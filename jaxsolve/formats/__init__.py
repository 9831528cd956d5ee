"""Files in and out: SGF records, problem sets, and the ways a person can name a position."""
