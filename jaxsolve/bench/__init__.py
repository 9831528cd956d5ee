"""Benchmarks: one module for each, with a function ``run(request)``."""
