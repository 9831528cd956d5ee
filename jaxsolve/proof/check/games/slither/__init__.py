"""Slither for the checker: rules and zones."""
