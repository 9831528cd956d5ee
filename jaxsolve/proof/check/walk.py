"""Checks a certificate in one pass, in memory bounded by the nodes to which later lines refer.

An accepted file proves its claim, because the claim holds at every accepted node. This follows by
induction over the lines:

* At a leaf the claim holds by the rules.
* At any other node the game is not over, or the claimant has won already (``Rules.ended``).
* An *or* node has a legal move of the claimant to a node at which the claim holds.
* At an *and* node every legal reply of the opponent leads to a node at which the claim holds. Only
  replies that lose to a threat are left out. The threat is one move or, in Gomoku, several moves.
* A *must-play* node also leaves out replies that do not affect the relevance zone of one of its
  children. The zone is the part of the position on which the child's proof depends. FORMAT.md
  proves that this is sound. The tests that depend on the game are in ``Zones`` or ``WrittenZones``.

Nodes refer to earlier lines only, so the induction is well-founded. The root node's position is the
header's position. If the nodes are written under simple ko and the claim is about superko,
``NoRepeats`` also tests that no board repeats.
"""

from __future__ import annotations

from typing import Any

from jaxsolve.proof.check import registry as games
from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.frontier import Frontier, IdSet
from jaxsolve.proof.check.header import parse_claim, parse_header
from jaxsolve.proof.check.must_play import Edges, is_must_play, must_play
from jaxsolve.proof.check.reader import decode
from jaxsolve.proof.check.relaxation import NoRepeats, Plays
from jaxsolve.proof.check.rules import Rules
from jaxsolve.proof.check.zones import Child, move_text

MAX_REASON = 1 << 16
"""Most bytes of a node's line without its position.

A list of 1,693 replies takes 58,000 bytes. No position of slither-19 has so many replies.
"""

_MAX_NUMBER = 1 << 62
_WITH_MOVES = ({"or"}, {"and"}, {"threat", "and"})


def _no_rules(rule_set: str) -> Rules:
    raise Refused("there is no header")


class Walk:
    """The pass over one file: ``line`` for each line, then ``close``."""

    def __init__(self) -> None:
        self.number = 0  # number of the current line, from 1
        self.node: int | None = None  # id of the current node
        self.nodes = 0
        self.game = self.rule_set = self.root = self.claim = ""
        self.source = games.Source(_no_rules)
        self.played: Rules | None = None  # the header's rules: those of the claim
        self._rules: Rules | None = None  # the rules under which the nodes are written
        self._longest = 0  # most bytes of a node's line
        self._claimant = 0
        self._needs_win = True
        self._frontier, self._ids = Frontier(), IdSet()
        self._done = False
        self._last: tuple[int, str] | None = None  # id and position of a node with n=0
        self._root_text = ""  # required position of the root node
        # For nodes written under other rules than the claim: the test ``NoRepeats``, the claimant's
        # plays at and below each node by id, and the edges of the current node.
        self._no_repeats: NoRepeats | None = None
        self._plays: dict[int, Plays] = {}
        self._named: list[tuple[str, Child, Plays]] = []

    @property
    def peak(self) -> int:
        """Largest number of nodes held at once."""
        return self._frontier.peak

    def line(self, raw: bytes) -> None:
        """Checks the next line. Raises Refused or Unreadable."""
        self.number += 1
        self.node = None
        if self._rules is None:
            self._header(raw)
            return
        if self._done:
            raise Refused("there is data after the trailer")
        if len(raw) > (most := self._longest):
            raise Refused(
                f"the line has {len(raw)} bytes; under this rule set {most} are enough for any"
            )
        fields = decode(raw)
        if "end" in fields:
            self._trailer(fields)
        else:
            self._node(fields, self._rules)
            self.nodes += 1
        self.node = None

    def close(self) -> None:
        """Ends the pass after the last line. Raises Refused if the file has no trailer."""
        self.number += 1
        if not self._done:
            raise Refused("the file ends without a trailer: it is truncated")

    def _header(self, raw: bytes) -> None:
        fields = parse_header(raw)
        self.source = games.find(fields["game"])
        rules = self.source.rules(fields["rules"])
        self._claimant, self._needs_win = parse_claim(fields["claim"], rules)
        player = rules.players[self._claimant]
        self.claim = f"{player} wins" if self._needs_win else f"{player} does not lose"
        self._bounded(rules, fields["root"])
        root = rules.root(fields["root"])
        self.game, self.rule_set, self.root = fields["game"], fields["rules"], fields["root"]
        self._root_text, self.played = self.root, rules
        if "by" in fields:
            rules, self._root_text, self._no_repeats = rules.written_under(
                root, self._claimant, fields["by"], fields.get("again")
            )
        elif "again" in fields:
            raise Refused("the header has 'again' without 'by'")
        self._rules, self._longest = rules, rules.longest + MAX_REASON

    @staticmethod
    def _bounded(rules: Rules, text: str) -> None:
        if len(text) > rules.longest:
            raise Refused(
                f"the position's text has {len(text)} characters;"
                f" under this rule set it has at most {rules.longest}"
            )

    def _trailer(self, fields: dict[str, Any]) -> None:
        if set(fields) != {"end", "nodes", "root"} or fields["end"] is not True:
            raise Refused('the trailer must be {"end": true, "nodes": ..., "root": ...}')
        if type(fields["nodes"]) is not int or fields["nodes"] != self.nodes:
            raise Refused(
                f"the trailer counts {show(fields['nodes'])} nodes, the file has {self.nodes}"
            )
        if self._last is None:
            raise Refused(
                "the last node is not the root: its n is not 0"
                if self.nodes
                else "there are no nodes"
            )
        root, text = self._last
        if type(fields["root"]) is not int or fields["root"] != root:
            raise Refused(f"the trailer's root is {show(fields['root'])}, the last node is {root}")
        if text != self._root_text:
            without = "" if self._no_repeats is None else ", without its history"
            raise Refused(f"the root node's position {show(text)} is not the header's{without}")
        left = self._frontier.any()
        if left is not None:
            raise Refused(f"node {left} is named less often than its n says")
        if self._no_repeats is not None:
            self._no_repeats.check_history(self._plays[root])
        self._done = True

    def _node(self, fields: dict[str, Any], rules: Rules) -> None:
        number = self._count(fields, "id", 1)
        self.node = number
        if self._last is not None:
            raise Refused(f"node {self._last[0]} has n=0 but is not the last: nothing names it")
        references = self._count(fields, "n", 0)
        text = fields.get("pos")
        if not isinstance(text, str):
            raise Refused("the node has no position text")
        self._bounded(rules, text)
        position = rules.position(text)
        self._named = []
        zone = self._reason(rules, position, fields)
        if not self._ids.add(number):
            raise Refused(f"the id {number} has been given already")
        if self._no_repeats is not None:
            if left := rules.leaf_plays(position, fields.get("leaf")):
                plays = self._no_repeats.at_leaf(left)
                self._named = [("pass", Child(text, zone), plays)]
            self._plays[number] = self._no_repeats.check_node(position, zone, self._named)
        self._keep(number, references, text, zone)

    def _keep(self, number: int, references: int, text: str, zone: int) -> None:
        if references:
            self._frontier.add(number, references, text, zone)
        else:
            self._last = (number, text)

    def _count(self, fields: dict[str, Any], name: str, least: int) -> int:
        value = fields.get(name)
        if type(value) is not int or not least <= value < _MAX_NUMBER:
            raise Refused(f"the node's {name} is {show(value)}, not an integer from {least}")
        return value

    def _reason(self, rules: Rules, position: Any, fields: dict[str, Any]) -> int:
        """Tests the reason why the claim holds at a node; returns the node's zone, 0 for none."""
        kind, zone = fields.keys() - {"id", "n", "pos"}, 0
        if "zone" in kind:
            kind = kind - {"zone"}
            zone = self._written(rules, position, fields["zone"], kind)
        if "fill" in kind:
            if rules.zones is None:
                raise Refused("this rule set has no fills")
            if rules.ended(position, self._claimant):
                raise Refused("the game is over before the fills")
            position, regions = rules.zones.fill(self._claimant, position, fields["fill"])
            return regions | self._argument(rules, position, fields, (kind - {"fill"}, zone))
        return self._argument(rules, position, fields, (kind, zone))

    def _argument(
        self, rules: Rules, position: Any, fields: dict[str, Any], written: tuple[set[str], int]
    ) -> int:
        """Tests the reason at ``position``, the node's position after its fills.

        ``written`` are the names of the fields of the reason, and the node's written zone. Returns
        the zone.
        """
        kind, zone = written
        if kind == {"leaf"}:
            return self._leaf(rules, position, fields["leaf"], zone)
        if kind in ({"leaf", "pairs"}, {"leaf", "steps"}):
            return self._computed_leaf(rules, position, fields)
        if kind not in _WITH_MOVES and not is_must_play(kind):
            found = show(", ".join(sorted(kind)) or "none")
            raise Refused(
                "the node must be a leaf, an or, an and, a must-play,"
                f" or one of these with its threat; it has {found}"
            )
        if rules.ended(position, self._claimant):
            raise Refused("the game is over here, so the node must be a leaf")
        side = rules.side(position)
        if (side == self._claimant) != ("or" in kind):
            name = "an or" if "or" in kind else "an and"
            raise Refused(f"{rules.players[side]} is to move, so the node cannot be {name} node")
        if "or" in kind:
            return self._or(rules, position, fields["or"], zone)
        if "and" in kind:
            return self._and(rules, position, fields["and"], fields)
        if rules.written is None:
            return must_play(
                rules, self._claimant, position, fields, Edges(self._edge, self._follow)
            )
        self._must_play_written(rules, position, fields, zone)
        return zone

    @staticmethod
    def _written(rules: Rules, position: Any, value: Any, kind: set[str]) -> int:
        """Returns the zone in a node's field ``zone``; ``kind`` are the node's other fields."""
        if rules.written is None:
            raise Refused("a node of this rule set writes no zone")
        if kind not in ({"leaf"}, {"or"}, {"must-play"}):
            raise Refused("only a leaf, an or and a must-play node can have a zone")
        return rules.written.read(position, value)

    def _leaf(self, rules: Rules, position: Any, reason: Any, zone: int) -> int:
        verdict = rules.verdict(position) or rules.settled(position, reason)
        if verdict is None:
            raise Refused(f"the leaf does not hold: the game goes on, {show(reason)} is not so")
        if reason != verdict.reason:
            raise Refused(
                f"the leaf does not hold: the game is over by '{verdict.reason}',"
                f" not {show(reason)}"
            )
        if verdict.winner != self._claimant and (self._needs_win or verdict.winner is not None):
            result = (
                "is a draw"
                if verdict.winner is None
                else f"is won by {rules.players[verdict.winner]}"
            )
            raise Refused(f"the leaf does not hold: the game {result} here")
        if zone and rules.written is not None:
            rules.written.leaf(self._claimant, position, reason, zone)
        return (
            zone
            if rules.zones is None
            else rules.zones.leaf(self._claimant, position, reason, None)
        )

    def _computed_leaf(self, rules: Rules, position: Any, fields: dict[str, Any]) -> int:
        """Tests a leaf that joins the claimant's edges by pairs or by the steps of a derivation."""
        if rules.zones is None:
            raise Refused(f"this rule set has no {'pairs' if 'pairs' in fields else 'steps'}")
        if "pairs" in fields:
            return rules.zones.leaf(self._claimant, position, fields["leaf"], fields["pairs"])
        if rules.ended(position, self._claimant):
            raise Refused("the game is over here, so the leaf has no steps")
        return rules.zones.derived_leaf(self._claimant, position, fields["leaf"], fields["steps"])

    def _or(self, rules: Rules, position: Any, entry: Any, zone: int) -> int:
        move, number = self._edge(entry)
        child = self._follow(rules, move, number, rules.child(position, move))
        if zone and rules.written is not None:
            rules.written.or_node(self._claimant, position, move, child, zone)
        return (
            zone
            if rules.zones is None
            else rules.zones.or_node(self._claimant, position, move, child.zone)
        )

    def _and(self, rules: Rules, position: Any, entries: Any, fields: dict[str, Any]) -> int:
        if not isinstance(entries, list):
            raise Refused(f"the replies are {show(entries)}, not a list")
        null = 0
        if isinstance(fields.get("threat"), list):
            replies = rules.sequence(position, fields["threat"])
        elif "threat" in fields:
            threat = move_text("the threat", fields["threat"])
            replies = rules.threat(position, threat)
            if rules.zones is not None:
                _, null = rules.zones.null(self._claimant, position, threat, [])
        else:
            replies = rules.replies(position)
            if not replies:
                raise Refused("there is no legal reply, so the node must be a leaf")
        zones = {}
        for entry in entries:
            move, child = self._edge(entry)
            expected = replies.pop(move, None)
            if expected is None:
                raise Refused(
                    f"the reply {show(move)} is not legal, not called for, or listed twice"
                )
            zones[move] = self._follow(rules, move, child, expected).zone
        if replies:
            raise Refused(
                f"the legal reply {next(iter(replies))} is missing ({len(replies)} missing in all)"
            )
        return (
            0
            if rules.zones is None
            else rules.zones.and_node(self._claimant, position, zones, null)
        )

    def _must_play_written(
        self, rules: Rules, position: Any, fields: dict[str, Any], zone: int
    ) -> None:
        """Tests a must-play node of a game whose zones the certificate has (``WrittenZones``)."""
        assert rules.written is not None
        entries = fields["must-play"]
        for name in ("threat", "threats", "instead"):
            if name in fields:
                raise Refused(f"a must-play node of this rule set has no field '{name}'")
        if not isinstance(entries, list):
            raise Refused(f"the replies are {show(entries)}, not a list")
        edges = [self._edge(entry) for entry in entries]
        rules.written.must_play(
            self._claimant,
            position,
            [(move, self._use(move, number)) for move, number in edges],
            zone,
        )

    @staticmethod
    def _edge(entry: Any) -> tuple[str, int]:
        if type(entry) is list and len(entry) == 2:
            move, child = entry
            if type(move) is str and type(child) is int:
                return move, child
        raise Refused("a move must be given as [text, id of the child]")

    def _follow(self, rules: Rules, move: str, number: int, expected: str) -> Child:
        """Uses a reference to the child ``number`` and tests that ``move`` leads to the child.

        ``expected`` is the text of the position after the move. It must equal the child's position
        or, if certificates of this game contain zones, cover the child's position.
        """
        child = self._use(move, number)
        if child.text != expected and not (
            rules.written is not None and self._covered(rules, expected, child)
        ):
            covers = (
                ", and does not cover it on its zone"
                if child.zone and rules.written is not None
                else ""
            )
            raise Refused(
                f"the move {move} leads to {show(expected, 500)},"
                f" the child {number} is {show(child.text, 500)}{covers}"
            )
        return child

    def _covered(self, rules: Rules, text: str, child: Child) -> bool:
        assert rules.written is not None
        return bool(child.zone) and rules.written.covers(
            self._claimant, rules.position(text), rules.position(child.text), child.zone
        )

    def _use(self, move: str, number: int) -> Child:
        """Uses one reference to the child ``number`` after ``move``. Returns the child."""
        child, last = self._frontier.use(move, number)
        if self._no_repeats is not None:
            self._named.append((move, child, self._plays[number]))
            if last:
                del self._plays[number]
        return child
