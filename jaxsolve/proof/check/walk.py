"""Checks a certificate in one pass, in memory bounded by the nodes still to be named.

Why an accepted file proves its claim: by induction over the lines, the claim holds at every accepted node. At a leaf the rules say so. At any other
node the game goes on (or the claimant has won already, see ``Rules.ended``); an *or* node gives the claimant a legal move to a node where the claim
holds, an *and* node has such a node after every legal reply, or leaves out only replies that lose to a threat: of one move or, in Gomoku, of several.
A *must-play* node leaves out replies that cannot touch what one of its other lines rests on: the zone of that line (FORMAT.md says why that is
enough; a game's own part of it is a ``Zones`` or a ``WrittenZones``). Nodes written ``by`` simple ko prove a claim under superko where no board comes
back (``Fresh``). Nodes name earlier lines only, so the argument is well-founded. The root's
position is the header's.

Memory: a node that is still to be named holds its position's text, at most ``Rules.longest`` characters, and about 300 bytes more.
"""

from __future__ import annotations

from typing import Any

from jaxsolve.proof.check import registry as games
from jaxsolve.proof.check.errors import Refused, Unreadable, show
from jaxsolve.proof.check.reader import decode
from jaxsolve.proof.check.rules import Rules
from jaxsolve.proof.check.superko import Fresh, Plays
from jaxsolve.proof.check.zones import Child, move_text

FORMAT = "jaxsolve-proof"
VERSION = 1
RESULTS = ("wins", "does-not-lose")
MAX_REASON = 1 << 16
"""Most bytes that a node's line may have beside its position: 1,693 replies, more than any position of slither-19 has, take 58,000."""

_HEADER = {"format", "version", "game", "rules", "root", "claim"}
_OPTIONAL = {"note", "by", "again"}
_MAX_NUMBER = 1 << 62
_PAGE = 1024


class _Seen:
    """A set of positive integers that costs about two bits a member where they are dense, in whatever order they come."""

    def __init__(self) -> None:
        self._pages: dict[int, int] = {}

    def add(self, number: int) -> bool:
        """Adds a number; False if it was there."""
        page, index = divmod(number, _PAGE)
        held = self._pages.get(page, 0)
        if held >> index & 1:
            return False
        self._pages[page] = held | 1 << index
        return True


def _no_rules(rule_set: str) -> Rules:
    raise Refused("there is no header")


class Walk:
    """State of the pass over one file."""

    def __init__(self) -> None:
        self.number = 0  # of the present line, from 1
        self.node: int | None = None  # id of the present node
        self.nodes = 0
        self.peak = 0
        self.game = self.rule_set = self.root = self.claim = ""
        self.source = games.Source(_no_rules)
        self._rules: Rules | None = None  # that the nodes are written under
        self.played: Rules | None = None  # the header's, under which the claim is made
        self._longest = 0  # bytes of a node's line
        self._claimant = 0
        self._needs_win = True
        self._held: dict[int, str] = {}  # id -> position text of the nodes still to be named
        self._uses: dict[int, int] = {}  # id -> how often still, where more than once
        self._zones: dict[int, int] = {}  # id -> zone, where it has one
        self._ids = _Seen()
        self._last: tuple[int, str] | None = (
            None  # id and position of a node that says it is the root
        )
        self._top = ""  # what the root node's position must be
        self._fresh: Fresh | None = (
            None  # where nodes are written under other rules than the header's
        )
        self._plays: dict[
            int, Plays
        ] = {}  # id -> what the claimant plays there and below, where that matters
        self._named: list[tuple[str, Child, Plays]] = []  # by the present node, likewise
        self._done = False

    # ---- lines ---------------------------------------------------------------------------------------------------
    def line(self, raw: bytes) -> None:
        """Takes the next line. Raises Refused or Unreadable."""
        self.number += 1
        self.node = None
        if self._rules is None:
            self._header(raw)
            return
        if self._done:
            raise Refused("there is data after the trailer")
        if len(raw) > self._longest:
            raise Refused(
                f"the line has {len(raw)} bytes; under this rule set {self._longest} are enough for any"
            )
        fields = decode(raw)
        if "end" in fields:
            self._trailer(fields)
        else:
            self._node(fields, self._rules)
            self.nodes += 1
        self.node = None

    def close(self) -> None:
        """Called after the last line."""
        self.number += 1
        if not self._done:
            raise Refused("the file ends without a trailer: it is truncated")

    def _header(self, raw: bytes) -> None:
        try:
            fields = decode(raw)
        except Refused as error:
            raise Unreadable(f"the file is no certificate: {error}") from None
        if fields.get("format") != FORMAT:
            raise Unreadable(
                f"the file is no certificate: its format is {show(fields.get('format'))}, not '{FORMAT}'"
            )
        version = fields.get("version")
        if type(version) is not int or version != VERSION:
            raise Unreadable(
                f"version {show(version)} of the format is not known, only {VERSION} is"
            )
        if set(fields) - _OPTIONAL != _HEADER:
            odd = sorted(set(fields) - _OPTIONAL ^ _HEADER)[0]
            raise Refused(
                f"the header's field {show(odd)} is {'missing' if odd in _HEADER else 'not known'}"
            )
        for name in ("game", "rules", "root", "note", "by", "again"):
            if not isinstance(fields.get(name, ""), str):
                raise Refused(f"the header's {name} is {show(fields[name])}, not text")
        self.source = games.find(fields["game"])
        rules = self.source.rules(fields["rules"])
        self._claim(fields["claim"], rules)
        self._bounded(rules, fields["root"])
        root = rules.root(fields["root"])
        self.game, self.rule_set, self.root, self._top = (
            fields["game"],
            fields["rules"],
            fields["root"],
            fields["root"],
        )
        self.played = rules
        if "by" in fields:
            rules, self._top, self._fresh = rules.superko(
                root, self._claimant, fields["by"], fields.get("again")
            )
        elif "again" in fields:
            raise Refused("the header has 'again' without 'by'")
        self._rules, self._longest = rules, rules.longest + MAX_REASON

    @staticmethod
    def _bounded(rules: Rules, text: str) -> None:
        if len(text) > rules.longest:
            raise Refused(
                f"the position's text has {len(text)} characters; under this rule set it has at most {rules.longest}"
            )

    def _claim(self, claim: Any, rules: Rules) -> None:
        if not isinstance(claim, dict) or set(claim) != {"player", "result"}:
            raise Refused("the header's claim must have a player and a result, nothing else")
        player, result = claim["player"], claim["result"]
        if player not in rules.players:
            raise Refused(
                f"the claim's player {show(player)} is neither {rules.players[0]} nor {rules.players[1]}"
            )
        if result not in RESULTS:
            raise Refused(
                f"the claim's result {show(result)} is neither 'wins' nor 'does-not-lose'"
            )
        self._claimant, self._needs_win = rules.players.index(player), result == "wins"
        self.claim = f"{player} {'wins' if self._needs_win else 'does not lose'}"

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
        if text != self._top:
            without = "" if self._fresh is None else ", without its history"
            raise Refused(f"the root node's position {show(text)} is not the header's{without}")
        if self._held:
            left = next(iter(self._held))
            raise Refused(f"node {left} is named less often than its n says")
        if self._fresh is not None:
            self._fresh.root(self._plays[root])
        self._done = True

    # ---- nodes ---------------------------------------------------------------------------------------------------
    def _node(self, fields: dict[str, Any], rules: Rules) -> None:
        number = self._count(fields, "id", 1)
        self.node = number
        if self._last is not None:
            raise Refused(f"node {self._last[0]} has n=0 but is not the last: nothing names it")
        uses = self._count(fields, "n", 0)
        text = fields.get("pos")
        if not isinstance(text, str):
            raise Refused("the node has no position text")
        self._bounded(rules, text)
        position = rules.position(text)
        kind = fields.keys() - {"id", "n", "pos"}
        zone = 0
        self._named = []
        if "zone" in kind:
            kind = kind - {"zone"}
            zone = self._written(rules, position, fields["zone"], kind)
        if kind == {"leaf"}:
            zone = self._leaf(rules, position, fields["leaf"], zone)
        elif kind == {"leaf", "pairs"}:
            if rules.zones is None:
                raise Refused("this rule set knows no pairs")
            zone = rules.zones.leaf(self._claimant, position, fields["leaf"], fields["pairs"])
        elif kind in (
            {"or"},
            {"and"},
            {"threat", "and"},
            {"must-play"},
            {"must-play", "threat", "pairs"},
        ):
            if rules.ended(position, self._claimant):
                raise Refused("the game is over here, so the node must be a leaf")
            if (rules.side(position) == self._claimant) != ("or" in kind):
                raise Refused(
                    f"{rules.players[rules.side(position)]} is to move, so the node cannot be {'an or' if 'or' in kind else 'an and'} node"
                )
            if "or" in kind:
                zone = self._or(rules, position, fields["or"], zone)
            elif "and" in kind:
                zone = self._and(rules, position, fields["and"], fields)
            elif rules.written is not None:
                self._answers(rules, position, fields, zone)
            else:
                zone = self._must_play(rules, position, fields["must-play"], fields)
        else:
            found = show(", ".join(sorted(kind)) or "none")
            raise Refused(
                f"the node must be a leaf, an or, an and, a must-play, or one of these with its threat; it has {found}"
            )
        if not self._ids.add(number):
            raise Refused(f"the id {number} has been given already")
        if self._fresh is not None:
            self._plays[number] = self._fresh.node(position, zone, self._named)
        self._keep(number, uses, text, zone)

    def _keep(self, number: int, uses: int, text: str, zone: int) -> None:
        if uses == 0:
            self._last = (number, text)
            return
        self._held[number] = text
        if zone:
            self._zones[number] = zone
        if uses > 1:
            self._uses[number] = uses
        self.peak = max(self.peak, len(self._held))

    def _count(self, fields: dict[str, Any], name: str, least: int) -> int:
        value = fields.get(name)
        if type(value) is not int or not least <= value < _MAX_NUMBER:
            raise Refused(f"the node's {name} is {show(value)}, not an integer from {least}")
        return value

    @staticmethod
    def _written(rules: Rules, position: Any, value: Any, kind: set[str]) -> int:
        """The zone that a node of these other fields writes."""
        if rules.written is None:
            raise Refused("a node of this rule set writes no zone")
        if kind not in ({"leaf"}, {"or"}, {"must-play"}):
            raise Refused("only a leaf, an or and a must-play node can have a zone")
        return rules.written.read(position, value)

    def _leaf(self, rules: Rules, position: Any, reason: Any, zone: int) -> int:
        verdict = rules.verdict(position)
        if verdict is None:
            raise Refused(f"the leaf does not hold: the game goes on, {show(reason)} is not so")
        if reason != verdict.reason:
            raise Refused(
                f"the leaf does not hold: the game is over by '{verdict.reason}', not {show(reason)}"
            )
        won, lost = verdict.winner == self._claimant, verdict.winner == 1 - self._claimant
        if lost or (self._needs_win and not won):
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

    def _or(self, rules: Rules, position: Any, entry: Any, zone: int) -> int:
        """The zone, as of every kind of node."""
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

    def _must_play(self, rules: Rules, position: Any, entries: Any, fields: dict[str, Any]) -> int:
        """Every legal reply is listed, or the position after it covers one that is won: after a listed reply, or after none (the null move)."""
        claimant, zoned = self._claimant, rules.zones
        if zoned is None:
            raise Refused("this rule set knows no must-play nodes")
        if not isinstance(entries, list):
            raise Refused(f"the replies are {show(entries)}, not a list")
        replies = rules.replies(position)
        left, null, zones = dict(replies), 0, {}
        if "threat" in fields:
            won, null = zoned.null(
                claimant, position, move_text("the threat", fields["threat"]), fields["pairs"]
            )
            left = zoned.uncovered(claimant, left, won, null)
        for entry in entries:
            move, child = self._edge(entry)
            expected = replies.pop(move, None)
            if expected is None:
                raise Refused(f"the reply {show(move)} is not legal, or listed twice")
            zones[move] = self._follow(rules, move, child, expected).zone
            left.pop(move, None)
            left = zoned.uncovered(claimant, left, expected, zones[move])
        if left:
            raise Refused(
                f"the legal reply {min(left)} is missing ({len(left)} missing in all): no zone leaves it out"
            )
        return zoned.and_node(claimant, position, zones, null)

    def _answers(self, rules: Rules, position: Any, fields: dict[str, Any], zone: int) -> None:
        """A must-play node where zones are written."""
        assert rules.written is not None
        entries = fields["must-play"]
        if "threat" in fields:
            raise Refused("this rule set knows no threats")
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
        """Uses up one mention of a child, whose position must be ``expected`` or, where zones are written, one that ``expected`` covers."""
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
                f"the move {move} leads to {show(expected, 500)}, the child {number} is {show(child.text, 500)}{covers}"
            )
        return child

    def _covered(self, rules: Rules, text: str, child: Child) -> bool:
        assert rules.written is not None
        return bool(child.zone) and rules.written.covers(
            self._claimant, rules.position(text), rules.position(child.text), child.zone
        )

    def _use(self, move: str, child: int) -> Child:
        """Uses up one mention of a child."""
        text = self._held.get(child)
        if text is None:
            raise Refused(
                f"the child {show(child)} after {move} is not an earlier node, or is named more often than its n says"
            )
        zone = self._zones.get(child, 0)
        if self._fresh is not None:
            self._named.append((move, Child(text, zone), self._plays[child]))
        uses = self._uses.get(child, 1)
        if uses == 1:
            del self._held[child]
            self._zones.pop(child, None)
            self._plays.pop(child, None)
        elif uses == 2:
            del self._uses[child]
        else:
            self._uses[child] = uses - 1
        return Child(text, zone)
