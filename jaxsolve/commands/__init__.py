"""The work of each command; ``interface`` defines the commands and their options."""
