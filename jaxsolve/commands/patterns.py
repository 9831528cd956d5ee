"""``--patterns FILE``: patterns that earlier runs proved, for the searches of this run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from jaxsolve.commands import failure
from jaxsolve.search.run.shared_patterns import SharedPatterns


@contextlib.contextmanager
def shared(path: Path | None, *, always: bool = False) -> Iterator[SharedPatterns | None]:
    """Yields the patterns of the file ``path`` and saves them at the end.

    Without a file it yields None, or with ``always`` patterns of this run only. A failure to save
    is reported on standard error; answers are not affected.

    Raises:
      PatternsError: as for ``SharedPatterns``.
      OSError: the file cannot be read or created.
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
