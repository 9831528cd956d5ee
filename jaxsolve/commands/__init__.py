"""What each word of the command line does; ``jaxsolve.cli`` holds only the words and their options."""
