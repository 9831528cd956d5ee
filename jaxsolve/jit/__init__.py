"""Everything that reaches into the internals of numba or of JAX's compilation, and nothing else."""
