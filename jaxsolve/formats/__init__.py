"""File formats: SGF records, problem sets, published weights, and typed positions."""
