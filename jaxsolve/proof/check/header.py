"""The header of a certificate: format, game, rule set, root and claim."""

from __future__ import annotations

from typing import Any

from jaxsolve.proof.check.errors import Refused, Unreadable, show
from jaxsolve.proof.check.reader import decode
from jaxsolve.proof.check.rules import Rules

FORMAT = "jaxsolve-proof"
VERSION = 1
RESULTS = ("wins", "does-not-lose")

_REQUIRED = {"format", "version", "game", "rules", "root", "claim"}
_OPTIONAL = {"note", "by", "again"}


def parse_header(raw: bytes) -> dict[str, Any]:
    """Returns the fields of a header line. All fields except version and claim are text.

    Raises:
      Unreadable: the line is not a header of this format and version.
      Refused: fields are missing, unknown or of the wrong type.
    """
    try:
        fields = decode(raw)
    except Refused as error:
        raise Unreadable(f"the file is no certificate: {error}") from None
    found = fields.get("format")
    if found != FORMAT:
        raise Unreadable(f"the file is no certificate: its format is {show(found)}, not '{FORMAT}'")
    version = fields.get("version")
    if type(version) is not int or version != VERSION:
        raise Unreadable(f"version {show(version)} of the format is not known, only {VERSION} is")
    if set(fields) - _OPTIONAL != _REQUIRED:
        odd = sorted(set(fields) - _OPTIONAL ^ _REQUIRED)[0]
        raise Refused(
            f"the header's field {show(odd)} is {'missing' if odd in _REQUIRED else 'not known'}"
        )
    for name in ("game", "rules", "root", "note", "by", "again"):
        if not isinstance(fields.get(name, ""), str):
            raise Refused(f"the header's {name} is {show(fields[name])}, not text")
    return fields


def parse_claim(claim: Any, rules: Rules) -> tuple[int, bool]:
    """Returns the claimant (0 or 1), and whether the claim is ``wins``, not ``does-not-lose``.

    Raises Refused if ``claim`` is not a claim about a player of ``rules``.
    """
    if not isinstance(claim, dict) or set(claim) != {"player", "result"}:
        raise Refused("the header's claim must have a player and a result, nothing else")
    player, result = claim["player"], claim["result"]
    if player not in rules.players:
        first, second = rules.players
        raise Refused(f"the claim's player {show(player)} is neither {first} nor {second}")
    if result not in RESULTS:
        raise Refused(f"the claim's result {show(result)} is neither 'wins' nor 'does-not-lose'")
    return rules.players.index(player), result == "wins"
