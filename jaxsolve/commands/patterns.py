"""``--patterns FILE``: what earlier runs have proved, for the searches of this one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from jaxsolve.commands import failure
from jaxsolve.search.run.shared_patterns import SharedPatterns


@contextlib.contextmanager
def shared(path: Path | None, *, always: bool = False) -> Iterator[SharedPatterns | None]:
    """The patterns in ``path``, saved at the end; without it None, or those of this run if there shall ``always`` be some.

    Where they cannot be saved, standard error says so and the answers stand.

    Raises:
      PatternsError: as ``SharedPatterns``.
      OSError: the file cannot be read, or not be made.
    """
    if path is None:
        yield SharedPatterns() if always else None
        return
    patterns = SharedPatterns(path)
    try:
        yield patterns
    finally:
        try:
            patterns.close()
        except OSError as error:
            failure.remark(f"the patterns could not be saved in {path} ({error.strerror or error})")
