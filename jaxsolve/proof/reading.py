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
    """A move at a node, and the node to which the move leads."""

    move: str
    child: int  # id of a node


class Node(NamedTuple):
    """One position of a proof.

    In games with zones the position after a move may differ from the child's position. It then
    *covers* the child's position on the child's zone (``proof/FORMAT.md``).
    """

    position: str
    # The claimant's move, or the opponent's replies that the node lists; empty at a leaf.
    moves: tuple[Edge, ...]
    leaf: str | None  # the reason why the claim holds at a leaf
    zone: str | None  # the zone, if the certificate writes it
    depth: int  # moves of the longest line below the node


@dataclass(frozen=True)
class Proof:
    """Contents of a certificate: the claim, and the nodes by id."""

    game: str
    rules: str  # rule-set id of the claim
    position: str  # the claim's position under ``rules``
    player: str  # the claimant
    result: str  # "wins" or "does-not-lose"
    root: int  # id of the root node
    nodes: dict[int, Node]

    def replies(self, number: int) -> list[Edge]:
        """Returns the edges of node ``number``, those with the longest line below first.

        Edges of equal depth keep the order of the file. A pass comes last.
        """
        edges = self.nodes[number].moves
        return sorted(edges, key=lambda edge: (edge.move == "pass", -self.nodes[edge.child].depth))


def read(path: str | os.PathLike[str], most_nodes: int = MAX_NODES) -> Proof | None:
    """Reads the proof in a certificate. Returns None if it has more than ``most_nodes`` nodes.

    The proof is not checked. It may be wrong if the checker has not accepted the file. Nodes have
    the ids of the file.

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
    """Whether the position ``text`` of the last node is the position ``claimed`` in the header.

    If the nodes are written under other rules than the claim, only the board and the side to move
    are compared. The texts differ otherwise, because under simple ko a position has a ko point in
    place of the history.
    """
    return text == claimed or (by_other_rules and text.split(" ")[:2] == claimed.split(" ")[:2])


def _node(fields: dict[str, Any], nodes: dict[int, Node]) -> Node:
    named: Sequence[Sequence[Any]] = (
        [fields["or"]] if "or" in fields else fields.get("and", fields.get("must-play", ()))
    )
    edges = tuple(Edge(move, child) for move, child in named)
    depth = max((1 + nodes[edge.child].depth for edge in edges), default=0)
    return Node(fields["pos"], edges, fields.get("leaf"), fields.get("zone"), depth)
