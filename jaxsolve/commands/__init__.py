"""Implementations of the commands. ``commands.interface`` declares commands and options."""
