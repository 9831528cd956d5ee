"""All code that depends on the internals of numba or of JAX's compilation, and nothing else."""
