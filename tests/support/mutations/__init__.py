"""Mutated certificates: each claims something that its file does not prove.

A checker must refuse every mutant.

``mutants(path, seed)`` yields the mutants of one certificate. A mutation is not applied where its
result could still be a proof (replies in another order, an option that no move of it touches). Use
counts and the trailer are kept correct unless they are the mutated part, so that a refusal concerns
the meaning and not the counts.
"""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
from collections.abc import Iterator

from support.mutations import lines as mutation_lines
from support.mutations import nodes as mutation_nodes
from support.mutations.base import Lines, tidy

__all__ = ["MUTATIONS", "WRITTEN", "ZONED", "dump", "load", "mutants", "tidy"]

MUTATIONS = mutation_nodes.MUTATIONS | mutation_lines.MUTATIONS
ZONED = mutation_nodes.ZONED
"""Mutations that apply only to certificates whose zones the checker computes."""
WRITTEN = mutation_nodes.WRITTEN
"""Mutations that apply only to certificates with written zones."""


def load(path: str | os.PathLike[str]) -> Lines:
    """The JSON lines of a certificate."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def dump(lines: Lines) -> bytes:
    """The bytes of a file with these lines; a line of type bytes is written unchanged."""
    raw = (line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    return gzip.compress(b"".join(raw), compresslevel=1, mtime=0)


def mutants(path: str | os.PathLike[str], seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yields (name of the mutation, bytes of the mutated file) for each applicable mutation."""
    lines = load(path)
    with open(path, "rb") as file:
        data = file.read()
    for name, mutation in MUTATIONS.items():
        rng = random.Random(f"{name} {seed}")
        changed = mutation(copy.deepcopy(lines), rng)
        if changed is not None:
            yield name, dump(changed)
    rng = random.Random(seed)
    yield "truncate the file", data[: rng.randrange(len(data))]
    yield (
        "truncate the text",
        dump([_cut(b"".join(json.dumps(line).encode() + b"\n" for line in lines), rng)]),
    )
    yield (
        "append bytes to the file",
        data + rng.randbytes(rng.randrange(1, 40)).replace(b"\0", b"\1"),
    )


def _cut(text: bytes, rng: random.Random) -> bytes:
    return text[: rng.randrange(len(text) - 2)]
