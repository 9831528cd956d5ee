"""The commands with their options; ``jaxsolve.commands`` holds the work, imported on use."""
