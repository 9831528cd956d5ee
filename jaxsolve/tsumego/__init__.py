"""Life-and-death studies of Go positions: status with either side first, and all right
first moves.
"""
