"""Pieces that several games' kernels are built from: packed boards, planes, key mixing, board text."""
