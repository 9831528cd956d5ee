"""``--patterns FILE``: a file of patterns that runs share (``search/README.md``, Pattern table)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from jaxsolve.commands import failure
from jaxsolve.search.run.shared_patterns import SharedPatterns


@contextlib.contextmanager
def shared(
    path: Path | None, *, always: bool = False, positions: bool = False
) -> Iterator[SharedPatterns | None]:
    """Yields the patterns of the file ``path``, and saves them at the end of the block.

    If they cannot be saved, a message is printed on standard error.

    Args:
      path: the file. None: patterns are not kept after this run.
      always: without a file, yield empty patterns that the searches of this run share, not None.
      positions: with a file, also share positions in games without patterns.

    Raises:
      PatternsError: the file is damaged, holds something else, or is in use by another run.
      OSError: the file cannot be read or created.
    """
    if path is None:
        yield SharedPatterns() if always else None
        return
    patterns = SharedPatterns(path, positions=positions)
    try:
        yield patterns
    finally:
        try:
            patterns.close()
        except OSError as error:
            failure.remark(f"the patterns could not be saved in {path} ({error.strerror or error})")
