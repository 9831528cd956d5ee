"""Folders that tests read from."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "launch" / "examples"
