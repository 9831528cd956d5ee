"""Reads a certificate back for those who want to look at a proof: its moves, positions and zones. To judge it is the checker's work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, Unreadable
from jaxsolve.proof.check.reader import decode, lines

MOST_NODES = 400_000  # that are kept in memory, at about half a kB each


class Edge(NamedTuple):
    """A move and the node that answers it."""

    move: str
    child: int


class Node(NamedTuple):
    """One position of a proof. Where the game knows zones an edge may lead to another position than the child's, one that covers it on its zone."""

    position: str
    moves: tuple[
        Edge, ...
    ]  # the claimant's one move, or the replies that are answered one by one; none at a leaf
    leaf: str | None  # why the claim holds where nobody moves
    zone: str | None  # the points that the proof below rests on, where the certificate says so
    depth: int  # moves of the longest line below


@dataclass(frozen=True)
class Proof:
    """A certificate's claim and its nodes by id."""

    game: str
    rules: str
    position: str  # the root's, under these rules
    player: str  # who claims
    result: str  # "wins" or "does-not-lose"
    root: int
    nodes: dict[int, Node]

    def replies(self, number: int) -> list[Edge]:
        """The moves of a node, a pass last, then the one that resists longest first, then as named."""
        edges = self.nodes[number].moves
        return sorted(edges, key=lambda edge: (edge.move == "pass", -self.nodes[edge.child].depth))


def read(path: str | os.PathLike[str], most_nodes: int = MOST_NODES) -> Proof | None:
    """The proof that a certificate holds, or None where it has more than ``most_nodes`` nodes.

    It is not checked: what the checker has not accepted may be nonsense. Ids are as in the file.

    Raises:
      ValueError: the file cannot be read, or its lines do not hang together.
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
    """Whether a node's position is the header's; by simple ko it may have a ko in the place of a history."""
    return text == claimed or (by_other_rules and text.split(" ")[:2] == claimed.split(" ")[:2])


def _node(fields: dict[str, Any], nodes: dict[int, Node]) -> Node:
    named: Sequence[Sequence[Any]] = (
        [fields["or"]] if "or" in fields else fields.get("and", fields.get("must-play", ()))
    )
    edges = tuple(Edge(move, child) for move, child in named)
    depth = max((1 + nodes[edge.child].depth for edge in edges), default=0)
    return Node(fields["pos"], edges, fields.get("leaf"), fields.get("zone"), depth)
