"""Building blocks of game kernels: packed boards, planes, keys, symmetries, board text."""
