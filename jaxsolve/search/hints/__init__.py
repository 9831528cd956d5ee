"""What a game's knowledge adds to a search: plans, threats, odds; none of it decides alone."""
