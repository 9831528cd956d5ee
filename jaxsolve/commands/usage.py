"""Errors of the option parser as one sentence: a wrong option, value or argument."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer

from jaxsolve.core.strict_json import shortened

# The parser's messages about a value, and what would be right.
_VALUES = (
    (r"Value error, (.*)", r"\1"),
    (r"Input should be a valid number\b.*", "give a number"),
    (r"Input should be a valid integer\b.*", "give a whole number"),
    (r"Input should be greater than or equal to (\S+)", r"give \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"give \1 or less"),
    (r"Input should be less than (\S+)", r"give less than \1"),
    (r"Input should be greater than (\S+)", r"give more than \1"),
)


def sentence(error: typer.TyperException, args: Sequence[str]) -> str:
    """Returns the message of an error of the option parser as one sentence.

    It names the option or argument, the value, and what would be right or the help that says so.
    Line ends and control characters are escaped.

    Args:
      error: the error.
      args: the words of the command line, without the name of the program.
    """
    return _printable(_sentence(error, args))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _sentence(error: typer.TyperException, args: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    more = f"'{context.command_path if context else 'jaxsolve'} --help'"
    if option := getattr(error, "option_name", None):
        if not hasattr(error, "possibilities"):
            takes_none = "does not take" in error.format_message()
            return f"{option} takes no value" if takes_none else f"{option} needs a value"
        near = " or ".join(sorted(getattr(error, "possibilities", None) or ()))
        unknown = f"there is no option {shortened(option)}"
        return f"{unknown}; did you mean {near}?" if near else f"{unknown}; {more} lists them"
    message = " ".join(error.format_message().split()).removesuffix(".")
    if isinstance(error, typer.BadParameter):
        name, names = _name(error)
        if message.startswith("Missing"):
            return f"{name} is missing; {more} shows what is needed"
        words = _value(error.message.removesuffix("."))
        value = _given(args, names)
        shown = ""
        if value is not None and value not in words and repr(value)[1:-1] not in words:
            shown = f" {shortened(value)}"
        return f"{name}{shown}: {words}" if name else words
    if found := re.fullmatch(r"Got unexpected extra argument\(?s?\)? \((.*)\)", message):
        return f"unexpected argument {shortened(found[1])}; {more} shows what is needed"
    return message if "Did you mean" in message else f"{message}; {more} shows what is there"


def _name(error: Any) -> tuple[str, tuple[str, ...]]:
    """Returns the name of the option or argument of an error, and all its names."""
    if error.param_hint is not None:
        hint = error.param_hint
        names = (hint,) if isinstance(hint, str) else tuple(hint)
        return names[0], names
    if error.param is None:
        return "", ()
    if getattr(error.param, "param_type_name", "") == "argument":
        return error.param.get_error_hint().strip("'"), ()
    return error.param.opts[0], tuple(error.param.opts)


def _value(message: str) -> str:
    """Returns the parser's message about a value in plain words."""
    for pattern, words in _VALUES:
        if found := re.fullmatch(pattern, " ".join(message.split())):
            return found.expand(words)
    return message


def _given(args: Sequence[str], names: Sequence[str]) -> str | None:
    """Returns the last value given for an option with these names; None if there is none."""
    value = None
    for word, after in zip(args, [*args[1:], None], strict=True):
        name, equals, rest = word.partition("=")
        if name in names:
            value = rest if equals else after
    return value
