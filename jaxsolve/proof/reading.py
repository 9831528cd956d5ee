"""Reads a certificate for display: moves, positions and zones, without checking it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, Unreadable
from jaxsolve.proof.check.reader import decode, lines

MAX_NODES = 400_000  # nodes kept in memory, about half a kB each


class Edge(NamedTuple):
    """A move and the node that answers it."""

    move: str
    child: int


class Node(NamedTuple):
    """One position of a proof.

    In games with zones an edge may lead to a position that covers the child's on its zone.
    """

    position: str
    # The claimant's move, or the replies that are answered one by one; empty at a leaf.
    moves: tuple[Edge, ...]
    leaf: str | None  # the reason why the claim holds at a leaf
    zone: str | None  # the zone, if the certificate writes it
    depth: int  # moves of the longest line below the node


@dataclass(frozen=True)
class Proof:
    """A certificate's claim and its nodes by id."""

    game: str
    rules: str
    position: str  # the root's position under these rules
    player: str  # the claimant
    result: str  # "wins" or "does-not-lose"
    root: int
    nodes: dict[int, Node]

    def replies(self, number: int) -> list[Edge]:
        """The moves of a node: by depth, longest first, then as in the file; a pass is last."""
        edges = self.nodes[number].moves
        return sorted(edges, key=lambda edge: (edge.move == "pass", -self.nodes[edge.child].depth))


def read(path: str | os.PathLike[str], most_nodes: int = MAX_NODES) -> Proof | None:
    """The proof in a certificate, or None if it has more than ``most_nodes`` nodes.

    The proof is not checked; without the checker's acceptance it may be wrong. Ids are as in the
    file.

    Raises:
      ValueError: the file cannot be read, or its lines are inconsistent.
    """
    try:
        return _read(path, most_nodes)
    except (Refused, Unreadable) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{os.fspath(path)}: no certificate of the kind that its first line promises ({error})"
        ) from None


def _read(path: str | os.PathLike[str], most_nodes: int) -> Proof | None:
    header: dict[str, Any] | None = None
    nodes: dict[int, Node] = {}
    for line in lines(path):
        fields = decode(line)
        if header is None:
            header = fields
        elif "end" in fields:
            claim = header["claim"]
            proof = Proof(
                header["game"],
                header["rules"],
                header["root"],
                claim["player"],
                claim["result"],
                fields["root"],
                nodes,
            )
            if not _is_root(proof.nodes[proof.root].position, proof.position, "by" in header):
                raise ValueError(f"{os.fspath(path)}: the last node is not the root")
            return proof
        elif len(nodes) == most_nodes:
            return None
        else:
            nodes[fields["id"]] = _node(fields, nodes)
    raise ValueError(f"{os.fspath(path)}: the file ends without a trailer")


def _is_root(text: str, claimed: str, by_other_rules: bool) -> bool:
    """Whether a node's position is the header's. Under simple ko it may have a ko, no history."""
    return text == claimed or (by_other_rules and text.split(" ")[:2] == claimed.split(" ")[:2])


def _node(fields: dict[str, Any], nodes: dict[int, Node]) -> Node:
    named: Sequence[Sequence[Any]] = (
        [fields["or"]] if "or" in fields else fields.get("and", fields.get("must-play", ()))
    )
    edges = tuple(Edge(move, child) for move, child in named)
    depth = max((1 + nodes[edge.child].depth for edge in edges), default=0)
    return Node(fields["pos"], edges, fields.get("leaf"), fields.get("zone"), depth)
