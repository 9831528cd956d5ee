"""What a Go player asks about a life-and-death position: which stones, where, how it stands for either side first, and which moves do it."""
