"""``python -m jaxsolve``: the command line, for when its script is not on the path."""

from jaxsolve.cli import main

if __name__ == "__main__":
    main()
