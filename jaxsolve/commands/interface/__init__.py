"""Declarations of the commands and their options; ``jaxsolve.commands`` implements them."""
