"""Building blocks of several games' kernels: packed boards, planes, keys, board text."""
